import { Injectable } from '@nestjs/common';

import { type Micro, microFromText } from '../../kernel/money';
import { Database } from '../../platform/database/database';
import type { RailName } from './charge';
import type { ChargeState } from './charge';

/** A charge as an operator sees it. */
export interface ChargeLine {
  readonly id: string;
  readonly rail: RailName;
  readonly operation: string;
  readonly payer: string;
  readonly keyId?: string;
  readonly modelId?: string;
  readonly state: ChargeState;
  readonly price: Micro;
  readonly jobId?: string;
  /** Set while the money is held: when the handler is taken for dead. */
  readonly leaseUntil?: Date;
  readonly createdAt: Date;
  readonly settledAt?: Date;
  readonly refundedAt?: Date;
}

interface LineRow {
  readonly id: string;
  readonly rail: RailName;
  readonly operation: string;
  readonly payer: string;
  readonly key_id: string | null;
  readonly model_id: string | null;
  readonly state: ChargeState;
  readonly price_micro: string;
  readonly job_id: string | null;
  readonly lease_until: Date | null;
  readonly created_at: Date;
  readonly settled_at: Date | null;
  readonly refunded_at: Date | null;
}

export interface UsageRow {
  /** A day of UTC, as `2026-01-31`. */
  readonly day: string;
  readonly modelId?: string;
  /** Undefined for calls of a signed-in person. */
  readonly keyId?: string;
  readonly calls: number;
  readonly spent: Micro;
}

/** Reads charges for people: owners who want to know what they spent, and operators. Never on the way of a call. */
@Injectable()
export class ChargeReports {
  constructor(private readonly db: Database) {}

  /** What a payer was charged by day, model and key; `from` and `to` are days of UTC, both included. */
  async usage(payer: string, from: string, to: string): Promise<UsageRow[]> {
    const rows = await this.patiently<{
      day: string;
      model_id: string | null;
      key_id: string | null;
      calls: number;
      spent: string;
    }>(
      `select to_char(created_at at time zone 'utc', 'YYYY-MM-DD') as day, model_id, key_id,
         count(*)::int as calls, sum(price_micro)::text as spent
       from charge
       where payer = $1 and state = 'charged'
         and created_at >= $2::timestamp at time zone 'utc'
         and created_at < ($3::timestamp + interval '1 day') at time zone 'utc'
       group by 1, 2, 3 order by 1 desc, sum(price_micro) desc, 2, 3`,
      [payer, from, to],
    );
    return rows.map((row) => ({
      day: row.day,
      ...(row.model_id === null ? {} : { modelId: row.model_id }),
      ...(row.key_id === null ? {} : { keyId: row.key_id }),
      calls: row.calls,
      spent: microFromText(row.spent),
    }));
  }

  /** Newest first: ids begin with their time. `before` is the id of the last one of the page before. */
  async page(state: ChargeState | undefined, limit: number, before?: string): Promise<ChargeLine[]> {
    // Written out instead of bound: the indexes of the rare states are chosen by it. It is one of five words.
    const condition = state === undefined ? 'true' : `state = '${state}'`;
    const rows = await this.patiently<LineRow>(
      `select id, rail, operation, payer, key_id, model_id, state, price_micro, job_id, lease_until, created_at,
         settled_at, refunded_at
       from charge where ${condition} and ($2::text is null or id < $2) order by id desc limit $1`,
      [limit, before ?? null],
    );
    return rows.map((row) => ({
      id: row.id,
      rail: row.rail,
      operation: row.operation,
      payer: row.payer,
      ...(row.key_id === null ? {} : { keyId: row.key_id }),
      ...(row.model_id === null ? {} : { modelId: row.model_id }),
      state: row.state,
      price: microFromText(row.price_micro),
      ...(row.job_id === null ? {} : { jobId: row.job_id }),
      ...(row.lease_until === null ? {} : { leaseUntil: row.lease_until }),
      createdAt: row.created_at,
      ...(row.settled_at === null ? {} : { settledAt: row.settled_at }),
      ...(row.refunded_at === null ? {} : { refundedAt: row.refunded_at }),
    }));
  }

  /** A report may take longer than a call may, but not for ever. */
  private patiently<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.db.transaction(async (queries) => {
      await queries.rows(`set local statement_timeout = '10s'`);
      return queries.rows<Row>(text, values);
    });
  }
}
