import { Injectable } from '@nestjs/common';

import { firstIdAt } from '../../kernel/ids';
import { Database, type Queries } from '../../platform/database/database';

const HOUR_MS = 3_600_000;
/** A statement that ran longer than this has lost its connection, so no refund from before can still arrive. */
const REFUND_SETTLED = `now() - interval '5 minutes'`;
/** A job fails within a day of its call, or at the end of an outage. */
const REFUNDED_WITHIN_MS = 30 * 24 * HOUR_MS;

interface Cursor {
  readonly through: Date;
  readonly refunds_through: Date;
}

/**
 * Adds charges up by day, hour by hour, once no charge of the hour is open. `usage_day` always holds the charges of
 * calls before `through`, as they were at `refunds_through`; each step moves one of the two. Wallets are left out:
 * nobody asks for theirs by day, and many of them pay once.
 */
@Injectable()
export class UsageDayRepository {
  constructor(private readonly db: Database) {}

  /** False if no past hour is left. */
  addHour(): Promise<boolean> {
    return this.db.transaction(async (queries) => {
      await queries.rows(`set local statement_timeout = '10s'`);
      const cursor = (await this.lock(queries)) ?? (await this.begin(queries));
      if (cursor === undefined) return false;
      const next = new Date(cursor.through.getTime() + HOUR_MS);
      const over = await queries.one(
        `select 1 where $1 <= now() - interval '1 hour' and not exists (
           select from charge where state in ('held', 'settling') and created_at < $1)`,
        [next],
        'usage-is-over',
      );
      if (over === undefined) return false;
      // Ids begin with the clock of a process, which may be wrong; the database's time counts.
      await queries.rows(
        `insert into usage_day as sum (payer, day, model_id, key_id, calls, spent_micro, input_tokens, output_tokens)
         select payer, (created_at at time zone 'utc')::date, coalesce(model_id, ''), coalesce(key_id, ''),
           count(*), sum(price_micro), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0)
         from charge
         where id >= $1 and id < $2 and created_at >= $3 and created_at < $4
           and payer not like '0x%' and (state = 'charged' or state = 'refunded' and refunded_at >= $5)
         group by 1, 2, 3, 4
         on conflict (payer, day, model_id, key_id) do update
         set calls = sum.calls + excluded.calls, spent_micro = sum.spent_micro + excluded.spent_micro,
           input_tokens = sum.input_tokens + excluded.input_tokens,
           output_tokens = sum.output_tokens + excluded.output_tokens`,
        [
          firstIdAt('ch', cursor.through.getTime() - HOUR_MS),
          firstIdAt('ch', next.getTime() + HOUR_MS),
          cursor.through,
          next,
          cursor.refunds_through,
        ],
        'usage-add-hour',
      );
      await queries.rows('update usage_cursor set through = $1', [next], 'usage-through');
      return true;
    });
  }

  /** Subtracts the refunds since the last run, of hours that were added up. */
  takeRefundsOut(): Promise<void> {
    return this.db.transaction(async (queries) => {
      await queries.rows(`set local statement_timeout = '10s'`);
      const cursor = await this.lock(queries);
      if (cursor === undefined) return;
      await queries.rows(
        `with back as (
           select payer, (created_at at time zone 'utc')::date as day, coalesce(model_id, '') as model_id,
             coalesce(key_id, '') as key_id, count(*) as calls, sum(price_micro) as micro,
             coalesce(sum(input_tokens), 0) as input, coalesce(sum(output_tokens), 0) as output
           from charge
           where state = 'refunded' and id >= $1 and created_at < $2
             and refunded_at >= $3 and refunded_at < ${REFUND_SETTLED}
           group by 1, 2, 3, 4
         )
         update usage_day sum set calls = sum.calls - back.calls, spent_micro = sum.spent_micro - back.micro,
           input_tokens = sum.input_tokens - back.input, output_tokens = sum.output_tokens - back.output
         from back
         where sum.payer = back.payer and sum.day = back.day and sum.model_id = back.model_id
           and sum.key_id = back.key_id`,
        [
          firstIdAt('ch', cursor.refunds_through.getTime() - REFUNDED_WITHIN_MS),
          cursor.through,
          cursor.refunds_through,
        ],
        'usage-take-out',
      );
      await queries.rows(
        `update usage_cursor set refunds_through = greatest(refunds_through, ${REFUND_SETTLED})`,
        [],
        'usage-refunds-through',
      );
    });
  }

  private lock(queries: Queries): Promise<Cursor | undefined> {
    return queries.one<Cursor>(
      'select through, refunds_through from usage_cursor for update',
      [],
      'usage-cursor-lock',
    );
  }

  /** Starts at the hour of the first charge. */
  private begin(queries: Queries): Promise<Cursor | undefined> {
    return queries.one<Cursor>(
      `insert into usage_cursor (through, refunds_through)
       select date_trunc('hour', created_at), ${REFUND_SETTLED} from charge order by charge.id limit 1
       on conflict do nothing
       returning through, refunds_through`,
      [],
      'usage-cursor-begin',
    );
  }
}
