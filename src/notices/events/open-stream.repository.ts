import { Injectable } from '@nestjs/common';

import { Database, type Queries } from '#platform/database/database';
import { byColumn } from '#platform/database/batch-rows';

/** Three times the interval between reports. */
const SAID_SECONDS_MAX = 60;

/** The counts by name. */
export type Counts = ReadonlyMap<string, number>;

/** The reports of processes about their open streams. A process reports all its counts at once. */
@Injectable()
export class OpenStreamRepository {
  constructor(private readonly db: Database) {}

  /**
   * Passes the counts of other processes to `decide`, and stores this process's count from the result. A lock for each
   * owner and address serialises processes, so that two never take the last slot.
   */
  async take<T>(
    process: string,
    whose: readonly string[],
    decide: (elsewhere: Counts) => { readonly held: Counts; readonly result: T },
  ): Promise<T> {
    return this.db.transaction(async (queries) => {
      // Locks are taken in the same order everywhere. The count is a second statement, which sees reports from before
      // the lock.
      await queries.rows(
        `select pg_advisory_xact_lock(hashtext('lamppost open streams'), turn)
         from (select distinct hashtext(whose) as turn from unnest($1::text[]) as whose order by turn) as turns`,
        [whose],
        'stream-turn',
      );
      const rows = await queries.rows<{ whose: string; open: string }>(
        `select whose, sum(open) as open from open_stream
         where whose = any($2::text[]) and process <> $1 and until > now() group by whose`,
        [process, whose],
        'stream-elsewhere',
      );
      const { held, result } = decide(new Map(rows.map((row) => [row.whose, Number(row.open)])));
      await recordStreams(queries, process, held);
      return result;
    });
  }

  /** Stores this process's counts; a zero deletes the row. */
  record(process: string, held: Counts): Promise<void> {
    return recordStreams(this.db, process, held);
  }

  async forgetDead(): Promise<void> {
    await this.db.rows('delete from open_stream where until < now()', [], 'stream-forget-dead');
  }
}

const recordStreams = async (queries: Queries, process: string, held: Counts): Promise<void> => {
  if (held.size === 0) return;
  await queries.rows(
    `with held as (
       select * from unnest($2::text[], $3::int[]) as h (whose, open)
     ), gone as (
       delete from open_stream s using held h where s.process = $1 and s.whose = h.whose and h.open = 0
     )
     insert into open_stream (whose, process, open, until)
     select whose, $1, open, now() + make_interval(secs => ${SAID_SECONDS_MAX}) from held where open > 0
     on conflict (whose, process) do update set open = excluded.open, until = excluded.until`,
    [process, ...byColumn([...held])],
    'stream-say',
  );
};
