import { firstIdAt } from '#kernel/ids';
import type { Database, Queries } from '#platform/database/database';

export const HOUR_MS = 3_600_000;
/** No statement runs for five minutes, so all refunds before this time are committed. */
const REFUND_SETTLED = `now() - interval '5 minutes'`;
/** The longest time between a call and its refund. A job fails within a day of its call, or at the end of an outage. */
const REFUNDED_WITHIN_MS = 30 * 24 * HOUR_MS;

interface Cursor {
  readonly through: Date;
  readonly refunds_through: Date;
}

interface SumStatements {
  /** The table with the cursor, in one row. */
  readonly cursor: 'usage_cursor' | 'sales_cursor';
  readonly name: string;
  /**
   * Adds an hour. $1 and $2 bound the ids of the charges, and $3 and $4 bound the hour. `subtract` later takes refunds
   * from $5 on out of the sums.
   */
  readonly add: string;
  /** Subtracts refunds made since $3 and before `until`. The charges have ids from $1 on and were created before $2. */
  readonly subtract: (until: string) => string;
}

/**
 * Adds charges up by day, hour by hour, once no charge of the hour is open. The sums always contain the charges of
 * calls before `through`, as they were at `refunds_through`. Each step moves one of these two times.
 */
export abstract class HourlySums {
  constructor(
    private readonly db: Database,
    private readonly statements: SumStatements,
  ) {}

  /** Adds the next hour. False if that hour is too recent or has open charges. */
  addHour(): Promise<boolean> {
    const { cursor: table, name, add } = this.statements;
    return this.db.longTransaction(10, async (queries) => {
      const cursor = (await this.lock(queries)) ?? (await this.begin(queries));
      if (cursor === undefined) return false;
      const next = new Date(cursor.through.getTime() + HOUR_MS);
      const over = await queries.one(
        `select 1 where $1 <= now() - interval '1 hour' and not exists (
           select from charge where state in ('held', 'settling') and created_at < $1)`,
        [next],
        `${name}-is-over`,
      );
      if (over === undefined) return false;
      // Ids begin with the time of a process, whose clock may be up to an hour wrong. The database's `created_at`
      // decides.
      await queries.rows(
        add,
        [
          firstIdAt('ch', cursor.through.getTime() - HOUR_MS),
          firstIdAt('ch', next.getTime() + HOUR_MS),
          cursor.through,
          next,
          cursor.refunds_through,
        ],
        `${name}-add-hour`,
      );
      await queries.rows(`update ${table} set through = $1`, [next], `${name}-through`);
      return true;
    });
  }

  /** Subtracts refunds since the last run from hours that were added up before. */
  takeRefundsOut(): Promise<void> {
    const { cursor: table, name, subtract } = this.statements;
    return this.db.longTransaction(10, async (queries) => {
      const cursor = await this.lock(queries);
      if (cursor === undefined) return;
      await queries.rows(
        subtract(REFUND_SETTLED),
        [
          firstIdAt('ch', cursor.refunds_through.getTime() - REFUNDED_WITHIN_MS),
          cursor.through,
          cursor.refunds_through,
        ],
        `${name}-take-out`,
      );
      await queries.rows(
        `update ${table} set refunds_through = greatest(refunds_through, ${REFUND_SETTLED})`,
        [],
        `${name}-refunds-through`,
      );
    });
  }

  private lock(queries: Queries): Promise<Cursor | undefined> {
    const { cursor: table, name } = this.statements;
    return queries.one<Cursor>(
      `select through, refunds_through from ${table} for update`,
      [],
      `${name}-cursor-lock`,
    );
  }

  /** Starts at the hour of the first charge. */
  private begin(queries: Queries): Promise<Cursor | undefined> {
    const { cursor: table, name } = this.statements;
    return queries.one<Cursor>(
      `insert into ${table} (through, refunds_through)
       select date_trunc('hour', created_at), ${REFUND_SETTLED} from charge order by charge.id limit 1
       on conflict do nothing
       returning through, refunds_through`,
      [],
      `${name}-cursor-begin`,
    );
  }
}
