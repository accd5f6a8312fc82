import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';

import { type Micro, microFromText } from '#kernel/money';
import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { Charge, type ChargeState } from './charge.entity';

const CHARGES = tableOf(Charge);

export interface UsageRow {
  /** A day of UTC, as `2026-01-31`. */
  readonly day: string;
  readonly modelId?: string;
  /** Undefined for calls of a signed-in person. */
  readonly keyId?: string;
  readonly calls: number;
  readonly spent: Micro;
  /** Counts only calls that are priced by usage. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface KeyOfCharge {
  readonly id: string;
  readonly name: string;
}

export interface ChargeFilter {
  readonly state?: ChargeState | undefined;
  /** A charge, job or key by its id, or a payer. */
  readonly about?: string | undefined;
}

/** Each kind of id has a separate index. */
const SUBJECTS: Readonly<Record<string, { readonly name: string; readonly condition: string }>> = {
  ch: { name: 'charge', condition: 'id = $3' },
  job: { name: 'job', condition: 'id = (select charge_id from job where job.id = $3)' },
  key: { name: 'key', condition: 'key_id = $3' },
};
const subjectOf = (about: string) =>
  SUBJECTS[about.split('_', 1)[0]!] ?? { name: 'payer', condition: 'payer = $3' };

/** Reads charges for reports to owners and operators. No call waits for these queries. */
@Injectable()
export class ChargeReportRepository {
  constructor(private readonly db: Database) {}

  /**
   * The spending of a payer by day, model and key. `from` and `to` are days of UTC, both included. `usage_day` has the
   * sums of past hours, and the statement adds the charges since then.
   */
  async usage(payer: string, from: string, to: string): Promise<UsageRow[]> {
    const rows = await this.db.longRows<{
      day: string;
      model_id: string | null;
      key_id: string | null;
      calls: number;
      spent: string;
      input: string;
      output: string;
    }>(
      10,
      `select to_char(day, 'YYYY-MM-DD') as day, nullif(model_id, '') as model_id, nullif(key_id, '') as key_id,
         sum(calls)::int as calls, sum(micro)::text as spent, sum(input)::text as input, sum(output)::text as output
       from (
         select day, model_id, key_id, calls, spent_micro as micro, input_tokens as input, output_tokens as output
         from usage_day
         where payer = $1 and day between $2::date and $3::date
         union all
         select (created_at at time zone 'utc')::date, coalesce(model_id, ''), coalesce(key_id, ''), 1, price_micro,
           coalesce(input_tokens, 0), coalesce(output_tokens, 0)
         from charge
         where payer = $1 and state = 'charged'
           and created_at >= greatest($2::timestamp at time zone 'utc', (select through from usage_cursor))
           and created_at < ($3::timestamp + interval '1 day') at time zone 'utc'
       ) each
       group by 1, 2, 3 having sum(calls) > 0 order by 1 desc, sum(micro) desc, 2, 3`,
      [payer, from, to],
      'charge-usage',
    );
    return rows.map((row) => ({
      day: row.day,
      modelId: present(row.model_id),
      keyId: present(row.key_id),
      calls: row.calls,
      spent: microFromText(row.spent),
      inputTokens: Number(row.input),
      outputTokens: Number(row.output),
    }));
  }

  /** The newest charges come first, because ids begin with their time. `before` is the last id of the previous page. */
  async page({ state, about }: ChargeFilter, limit: number, before?: string): Promise<Charge[]> {
    // The statement contains the state instead of a parameter, so that Postgres chooses the index of a rare state. The
    // state is one of five words, so it can't inject SQL.
    const condition = state === undefined ? 'true' : `state = '${state}'`;
    const subject = about === undefined ? undefined : subjectOf(about);
    const rows = await this.db.longRows<QueryResultRow>(
      10,
      `select ${CHARGES.columns} from charge
       where ${condition} and ($2::text is null or id < $2) and ${subject?.condition ?? '$3::text is null'}
       order by id desc limit $1`,
      [limit, before, about],
      `charge-page-${state ?? 'all'}-${subject?.name ?? 'all'}`,
    );
    return rows.map(CHARGES.read);
  }

  /** The keys of charges, by charge id. Charges without a key are left out. */
  async keysOf(chargeIds: readonly string[]): Promise<ReadonlyMap<string, KeyOfCharge>> {
    const rows = await this.db.longRows<{ charge_id: string; id: string; name: string }>(
      10,
      `select charge.id as charge_id, key.id, key.name from charge join api_key key on key.id = charge.key_id
       where charge.id = any($1)`,
      [chargeIds],
      'charge-keys',
    );
    return new Map(rows.map(({ charge_id, id, name }) => [charge_id, { id, name }]));
  }
}
