import { Injectable } from '@nestjs/common';

import { Database } from '../../platform/database/database';
import { byColumn } from '../../platform/database/many';

/** Three times as long as a process is silent. */
const SAID_SECONDS_MAX = 60;

/** Who wants to have how many open, and how many all processes together may. */
export interface Wanted {
  readonly whose: string;
  readonly open: number;
  readonly max: number;
}

/** What processes say of the streams that they hold. Each says all that it has, never one more or less. */
@Injectable()
export class OpenStreamRepository {
  constructor(private readonly db: Database) {}

  /**
   * Says that this process has so many open, if they may be, and answers of whom there would be too many. Processes take
   * turns for an owner and an address, so that two never take the last place.
   */
  async take(process: string, wanted: readonly Wanted[]): Promise<readonly string[]> {
    const [whose, open, max] = byColumn(wanted.map((one) => [one.whose, one.open, one.max]));
    return this.db.transaction(async (queries) => {
      // In one order everywhere; the count is another statement, which sees what was said before its turn.
      for (const turn of wanted.map((one) => one.whose).sort()) {
        await queries.rows(
          `select pg_advisory_xact_lock(hashtext('lamppost open streams'), hashtext($1))`,
          [turn],
          'stream-turn',
        );
      }
      const full = await queries.rows<{ whose: string }>(
        `with wanted as (
           select * from unnest($2::text[], $3::int[], $4::int[]) as w (whose, open, max)
         ), full_up as (
           select w.whose from wanted w where w.open + (
             select coalesce(sum(s.open), 0) from open_stream s
             where s.whose = w.whose and s.process <> $1 and s.until > now()) > w.max
         ), taken as (
           insert into open_stream (whose, process, open, until)
           select whose, $1, open, now() + make_interval(secs => ${SAID_SECONDS_MAX}) from wanted
           where not exists (select from full_up)
           on conflict (whose, process) do update set open = excluded.open, until = excluded.until
         )
         select whose from full_up`,
        [process, whose, open, max],
        'stream-take',
      );
      return full.map((row) => row.whose);
    });
  }

  /** Says what this process has open of some of them; nothing where it is none. */
  async say(process: string, held: readonly (readonly [whose: string, open: number])[]): Promise<void> {
    if (held.length === 0) return;
    await this.db.rows(
      `with held as (
         select * from unnest($2::text[], $3::int[]) as h (whose, open)
       ), gone as (
         delete from open_stream s using held h where s.process = $1 and s.whose = h.whose and h.open = 0
       )
       insert into open_stream (whose, process, open, until)
       select whose, $1, open, now() + make_interval(secs => ${SAID_SECONDS_MAX}) from held where open > 0
       on conflict (whose, process) do update set open = excluded.open, until = excluded.until`,
      [process, ...byColumn(held)],
      'stream-say',
    );
  }

  async forgetDead(): Promise<void> {
    await this.db.rows('delete from open_stream where until < now()', [], 'stream-forget-dead');
  }
}
