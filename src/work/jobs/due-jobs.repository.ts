import { Injectable } from '@nestjs/common';

import { present } from '#kernel/present';
import { StatementBatcher } from '#platform/database/statement-batcher';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import type { ProviderName } from '#models/providers/provider-name';
import { Job } from './job.entity';
import {
  COPY_LEASE_SECONDS,
  DECIDED_MS_MAX,
  FORGOTTEN_MS,
  OVERDUE_POLL_MS_MAX,
  POLL_LEASE_SECONDS,
} from './job-times';

interface LaterPoll {
  readonly id: string;
  readonly milliseconds: number;
  readonly progress: number | undefined;
}

/** The due jobs of one provider, or of jobs without a provider. */
export interface DueProvider {
  readonly provider: ProviderName | undefined;
  readonly overdue: boolean;
}

const JOBS = tableOf(Job);

const inMs = (milliseconds: number): string => `${milliseconds} * interval '1 millisecond'`;

/** Jobs of providers outside the list `$1`, or of none. */
const OF_NONE_OF = '(provider is null or provider <> all($1::text[]))';

/**
 * The end of a poll's lease. However long a poll takes, some process decides the job at its deadline. A job that nobody
 * polled in time gets a whole poll, and no other process takes it meanwhile.
 */
const takenFor = (seconds: number): string =>
  `case when deadline_at < now() - ${inMs(FORGOTTEN_MS)}
     then now() + ${inMs(Math.max(seconds * 1_000, OVERDUE_POLL_MS_MAX + DECIDED_MS_MAX))}
     else least(now() + make_interval(secs => ${seconds}), greatest(deadline_at, now()) + ${inMs(DECIDED_MS_MAX)}) end`;

/** The times at which running jobs are polled, and the leases of those that poll them. */
@Injectable()
export class DueJobsRepository {
  /** Postpones unchanged jobs, many in one statement: with thousands of running jobs, most polls find no change. */
  private readonly later: StatementBatcher<LaterPoll, true>;

  constructor(private readonly db: Database) {
    const put = async (polls: readonly LaterPoll[]): Promise<true[]> => {
      await this.db.rows(
        `update job j set poll_at = least(now() + l.milliseconds * interval '1 millisecond',
             greatest(j.deadline_at, now() + interval '500 milliseconds')),
           progress = coalesce(l.progress, j.progress), polls = j.polls + 1
         from unnest($1::text[], $2::float8[], $3::smallint[]) as l (id, milliseconds, progress)
         where j.id = l.id and j.status = 'running'`,
        [
          polls.map(({ id }) => id),
          polls.map(({ milliseconds }) => milliseconds),
          polls.map(({ progress }) => progress),
        ],
        'job-later',
      );
      return polls.map(() => true);
    };
    this.later = new StatementBatcher<LaterPoll, true>({ batch: put });
  }

  async pollLater(id: string, milliseconds: number, progress: number | undefined): Promise<void> {
    await this.later.add({ id, milliseconds, progress });
  }

  /** Extends the leases of jobs while their results are stored. */
  async keepTaken(ids: readonly string[]): Promise<void> {
    await this.db.rows(
      `update job set poll_at = ${takenFor(COPY_LEASE_SECONDS)} where id = any($1::text[]) and status = 'running'`,
      [ids],
      'job-keep-taken',
    );
  }

  /** Ends the leases of jobs that nobody polls now. */
  async makeDue(ids: readonly string[]): Promise<void> {
    await this.db.rows(
      `update job set poll_at = now() where id = any($1::text[]) and status = 'running'`,
      [ids],
      'job-make-due',
    );
  }

  /**
   * The providers with due jobs, and whether any job is overdue. This query runs every second and mostly finds none.
   */
  async due(): Promise<readonly DueProvider[]> {
    const rows = await this.db.rows<{ provider: string | null; overdue: boolean }>(
      `select provider, bool_or(deadline_at < now()) as overdue from job
       where status = 'running' and poll_at <= now() group by provider`,
      [],
      'job-due',
    );
    return rows.map(({ provider, overdue }) => ({ provider: present(provider), overdue }));
  }

  takeDue(provider: ProviderName, limit: number): Promise<Job[]> {
    return this.take('job-take-due', 'provider = $1 order by poll_at', provider, limit);
  }

  /** Takes due jobs without a provider, or with one that is no longer configured. */
  takeDueWithoutProvider(known: readonly ProviderName[], limit: number): Promise<Job[]> {
    return this.take('job-take-due-of-nobody', `${OF_NONE_OF} order by poll_at`, known, limit);
  }

  /** Takes overdue jobs of all providers that can hang, so that hanging polls do not delay them. */
  takeOverdue(ours: readonly ProviderName[], limit: number): Promise<Job[]> {
    const which = `deadline_at < now() and ${OF_NONE_OF} order by poll_at`;
    return this.take('job-take-overdue', which, ours, limit);
  }

  /** SKIP LOCKED gives workers different jobs. The new due time makes jobs of a dead worker due again. */
  private async take(name: string, which: string, of: unknown, limit: number): Promise<Job[]> {
    const rows = await this.db.rows(
      `update job set poll_at = ${takenFor(POLL_LEASE_SECONDS)}
       where id in (
         select id from job where status = 'running' and poll_at <= now() and ${which}
         limit $2 for update skip locked)
       returning ${JOBS.columns}`,
      [of, limit],
      name,
    );
    return rows.map(JOBS.read);
  }

  /** Takes one job whose caller waits. */
  async takeIfDue(id: string): Promise<Job | undefined> {
    const row = await this.db.one(
      `update job set poll_at = ${takenFor(POLL_LEASE_SECONDS)}
       where id = $1 and status = 'running' and poll_at <= now() returning ${JOBS.columns}`,
      [id],
      'job-take-one',
    );
    return row && JOBS.read(row);
  }
}
