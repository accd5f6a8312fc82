import { Injectable } from '@nestjs/common';

import { Database } from '../database/database';

/** The pause after the first failure. It doubles with each further one. */
const PAUSE_SECONDS = 10;
const PAUSE_SECONDS_MAX = 3_600;
/** A row of a sweep is tried at least hourly, so a pause that ended a day ago belongs to a row that is gone. */
export const PAUSE_KEPT = `interval '1 day'`;
/** A sweep with this prefix has no rows of its own: its pauses are the only record of the work that failed. */
export const RECORDED = 'listener:';
/** Such a pause is tried at least hourly too, so after a month nothing tries it any more. */
export const RECORD_KEPT = `interval '30 days'`;

/**
 * Joins the pauses `p` of a sweep, for statements that take its oldest rows. Such a statement selects rows with `IS_DUE`
 * and sorts them by `dueSince`. So a row that fails moves back, and no number of failing rows holds up another.
 */
export const joinPauses = (sweep: string, id: string): string =>
  `left join lateral (select s.retry_at from sweep_pause s where s.sweep = '${sweep}' and s.id = ${id}) p on true`;
export const IS_DUE = `(p.retry_at is null or p.retry_at <= now())`;
export const dueSince = (since: string): string => `coalesce(p.retry_at, ${since})`;

/** Remembers which rows of sweeps failed, and when they are tried again. */
@Injectable()
export class SweepPauses {
  constructor(private readonly db: Database) {}

  /** The row failed. It is tried again after a pause that grows. */
  async failed(sweep: string, id: string): Promise<void> {
    await this.db.rows(
      `insert into sweep_pause as p (sweep, id, failures, retry_at)
       values ($1, $2, 1, now() + $3::integer * interval '1 second')
       on conflict (sweep, id) do update set failures = least(p.failures + 1, 1000),
         retry_at = now() + least($4::integer, $3 * power(2, least(p.failures, 20))) * interval '1 second'`,
      [sweep, id, PAUSE_SECONDS, PAUSE_SECONDS_MAX],
      'sweep-failed',
    );
  }

  /** The row waits for something else, and is looked at again after these seconds. */
  async waits(sweep: string, id: string, seconds: number): Promise<void> {
    await this.db.rows(
      `insert into sweep_pause (sweep, id, retry_at) values ($1, $2, now() + $3::integer * interval '1 second')
       on conflict (sweep, id) do update set failures = 0, retry_at = excluded.retry_at`,
      [sweep, id, seconds],
      'sweep-waits',
    );
  }

  async done(sweep: string, id: string): Promise<void> {
    await this.db.rows('delete from sweep_pause where sweep = $1 and id = $2', [sweep, id], 'sweep-done');
  }

  /** Every due row of the sweep was handled, so the pauses that are over belong to rows that are done. */
  async ended(sweep: string): Promise<void> {
    await this.db.rows(
      'delete from sweep_pause where sweep = $1 and retry_at <= now()',
      [sweep],
      'sweep-ended',
    );
  }

  /** The number of failing rows of each sweep. */
  async failing(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.db.rows<{ sweep: string; failing: number }>(
      `select sweep, count(*) filter (where failures > 0 and retry_at >= now() - ${PAUSE_KEPT})::integer as failing
       from sweep_pause group by sweep`,
      [],
      'sweep-failing',
    );
    return new Map(rows.map(({ sweep, failing }) => [sweep, failing]));
  }
}
