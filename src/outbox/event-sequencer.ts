import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import type { BackgroundTask } from '../platform/background/background-task';
import { BackgroundWork } from '../platform/background/background-work';
import { Database, type Queries } from '../platform/database/database';

/** The lock of whoever mends the log: its name, as Postgres wants a lock named. */
const LOCK = `hashtext('lamppost event log')`;

/** What only a charge's row says waits so long, so that a hundred calls a second make no more than this many rows. */
const CALM_MS = 500;
/** Statements that write events one after the other share a look. */
const GAP_MS = 20;

const SNAPSHOT = `pg_current_snapshot()`;

/**
 * Gives events their positions. It looks what has been committed, and keeps what it saw as a watermark, in one statement:
 * nothing is read and nothing is changed for it, however many events there are. Every process that hears of an event looks,
 * so that one which dies is not missed; whoever comes second finds that there is nothing to do.
 */
@Injectable()
export class EventSequencer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(EventSequencer.name);
  private readonly hearers = new Set<(position: bigint) => void>();
  private readonly stops: (() => Promise<void>)[] = [];
  private readonly looking: BackgroundTask;
  private readonly calm: BackgroundTask;
  private readonly tellingLatest: BackgroundTask;

  constructor(
    private readonly db: Database,
    background: BackgroundWork,
  ) {
    this.looking = background.task('Giving events their positions', () => this.look(false), {
      gapMs: GAP_MS,
    });
    this.calm = background.task('Giving decided charges their positions', async () => {
      // Another process has looked a moment ago, perhaps too early for this charge.
      if (!(await this.look(true))) this.chargeDecided();
    });
    this.tellingLatest = background.task('Reading the newest position', () => this.tellLatest());
  }

  /** Before any call comes in: what this process writes must not be taken for what another cluster wrote. */
  async onApplicationBootstrap(): Promise<void> {
    await this.look(false);
    this.stops.push(
      await this.db.listen(
        'event_written',
        () => this.lookSoon(),
        () => this.lookSoon(),
      ),
      await this.db.listen(
        'event_placed',
        (position) => this.tell(BigInt(position)),
        () => this.tellingLatest.wake(),
      ),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.stops.map((stop) => stop()));
    await Promise.all([this.looking, this.calm, this.tellingLatest].map((task) => task.stop()));
  }

  /** Calls back when there are events up to a position, in whatever process they were found. Positions may be repeated. */
  onPlaced(hear: (position: bigint) => void): () => void {
    this.hearers.add(hear);
    return () => {
      this.hearers.delete(hear);
    };
  }

  /** A charge was decided, which is said by nothing but its row. Many of them share a look. */
  chargeDecided(): void {
    this.calm.wake(CALM_MS);
  }

  /** Looks whatever has happened: a process may have died before it said so. */
  async lookAnyway(): Promise<void> {
    await this.look(true);
  }

  private lookSoon(): void {
    this.looking.wake();
  }

  /**
   * Whether there is a new watermark. Of several who look at once one writes the next position, and the others look again: it
   * may have looked before what they were told of was committed. What a statement sees that knows of a watermark has all in it
   * that the watermark saw.
   */
  private async look(anyway: boolean): Promise<boolean> {
    for (;;) {
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
             ($1 and last.seen_at < clock_timestamp() - interval '${CALM_MS / 2} milliseconds') or exists (
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
      if (row?.astray === true) await this.db.transaction((queries) => this.mend(queries));
      else if (row?.wanted !== true || row.position !== null) return row?.wanted === true;
    }
  }

  /**
   * A database that was restored into another cluster counts transactions from the beginning, and what is new would look as
   * if it had been seen. Then the log begins anew: what nobody had been told yet is as if it were written now, and cursors of
   * before are too old.
   */
  private async mend(queries: Queries): Promise<void> {
    await queries.rows(`select pg_advisory_xact_lock(${LOCK})`, [], 'event-lock');
    const astray = await queries.one(
      `select position from event_watermark
       where upper > pg_snapshot_xmax(${SNAPSHOT})::text::bigint order by upper desc limit 1`,
      [],
      'event-astray',
    );
    if (astray === undefined) return; // Somebody else has done it meanwhile.
    this.logger.warn(
      'The database counts its transactions anew: the event log begins again behind what was told.',
    );
    await queries.rows(`set local statement_timeout = '10min'`);
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
    // Our own transaction is in no list of what is under way, so whatever began as late as it counts as not seen.
    await queries.rows(
      `with gone as (delete from event_watermark returning position)
       insert into event_watermark (position, snapshot, lower, upper)
       select (select max(position) + 1 from gone), first || ':' || first || ':', first, first
       from (select pg_snapshot_xmin(${SNAPSHOT})::text::bigint as first) as now`,
    );
  }

  private async tellLatest(): Promise<void> {
    const row = await this.db.one<{ latest: string }>('select max(position) as latest from event_watermark');
    this.tell(BigInt(row?.latest ?? 0));
  }

  private tell(position: bigint): void {
    for (const hear of this.hearers) hear(position);
  }
}
