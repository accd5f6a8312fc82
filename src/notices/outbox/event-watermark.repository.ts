import { Injectable } from '@nestjs/common';

import { Database, type Queries } from '#platform/database/database';

/** The advisory lock for a restart of the log. */
const LOCK = `hashtext('lamppost event log')`;
const SNAPSHOT = `pg_current_snapshot()`;

/** Whether the log needs a restart, whether events needed a position, and the position that this process wrote. */
export interface Advance {
  readonly isAstray: boolean;
  readonly wasWanted: boolean;
  readonly position: string | null;
}

/** The watermarks of the event log: each keeps a snapshot of the transactions that had committed. */
@Injectable()
export class EventWatermarkRepository {
  constructor(private readonly db: Database) {}

  /**
   * Writes the next watermark if an event was committed after the last one. With `anyway`, it also writes one if the
   * last one is older than `calmMs`. If several processes advance at once, one of them writes the position and the
   * others get null.
   */
  async advance(anyway: boolean, calmMs: number): Promise<Advance> {
    const row = await this.db.one<{ astray: boolean; wanted: boolean; position: string | null }>(
      `with last as (
         select * from event_watermark order by position desc limit 1
       ), now as (
         select ${SNAPSHOT} as seen
       ), astray as (
         select from event_watermark, now where upper > pg_snapshot_xmax(now.seen)::text::bigint limit 1
       ), wanted as (
         select last.position + 1 as position, now.seen from last, now
         where not exists (select from astray) and (
           ($1 and last.seen_at < clock_timestamp() - interval '${calmMs / 2} milliseconds') or exists (
             select from event where written >= last.lower
               and not pg_visible_in_snapshot(written::text::xid8, last.snapshot::pg_snapshot)))
       ), placed as (
         insert into event_watermark (position, snapshot, lower, upper)
         select position, seen::text, pg_snapshot_xmin(seen)::text::bigint, pg_snapshot_xmax(seen)::text::bigint from wanted
         on conflict (position) do nothing
         returning position
       )
       select exists (select from astray) as astray, exists (select from wanted) as wanted,
         (select position from placed) as position, (select pg_notify('event_placed', position::text) from placed)`,
      [anyway],
      'event-place-all',
    );
    return {
      isAstray: row?.astray === true,
      wasWanted: row?.wanted === true,
      position: row?.position ?? null,
    };
  }

  async latest(): Promise<bigint> {
    const row = await this.db.one<{ latest: string }>('select max(position) as latest from event_watermark');
    return BigInt(row?.latest ?? 0);
  }

  /**
   * Restarts the log if its watermarks are ahead of the database's transactions, as after a restore into another
   * cluster. Events without a position count as written now, and older cursors expire. False if another process was
   * first.
   */
  restart(): Promise<boolean> {
    return this.db.longTransaction(600, (queries) => this.restartWithin(queries));
  }

  private async restartWithin(queries: Queries): Promise<boolean> {
    await queries.rows(`select pg_advisory_xact_lock(${LOCK})`, [], 'event-lock');
    const astray = await queries.one(
      `select position from event_watermark
       where upper > pg_snapshot_xmax(${SNAPSHOT})::text::bigint order by upper desc limit 1`,
      [],
      'event-astray',
    );
    if (astray === undefined) return false;
    const unseen = (written: string): string =>
      `${written} >= last.lower and not pg_visible_in_snapshot(${written}::text::xid8, last.snapshot::pg_snapshot)`;
    const last = '(select * from event_watermark order by position desc limit 1) as last';
    await queries.rows(
      `update event set written = case when ${unseen('written')} then pg_current_xact_id()::text::bigint else 0 end
       from ${last}`,
    );
    await queries.rows(
      `update charge set decided = case when ${unseen('decided')} then pg_current_xact_id()::text::bigint else 0 end
       from ${last} where decided is not null`,
    );
    // This transaction is not in its own snapshot, so all transactions from its number on count as not yet read.
    await queries.rows(
      `with gone as (delete from event_watermark returning position)
       insert into event_watermark (position, snapshot, lower, upper)
       select (select max(position) + 1 from gone), first || ':' || first || ':', first, first
       from (select pg_snapshot_xmin(${SNAPSHOT})::text::bigint as first) as now`,
    );
    return true;
  }
}
