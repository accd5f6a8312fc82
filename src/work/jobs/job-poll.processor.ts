import { setTimeout as wait } from 'node:timers/promises';

import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

import { within } from '#kernel/deadline';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { inTraceOf } from '#platform/telemetry/traces';
import type { ProviderName } from '#models/providers/provider-name';
import { Providers } from '#models/providers/providers';
import { DueJobsRepository } from './due-jobs.repository';
import type { Job } from './job.entity';
import { JobPoller } from './job-poller';

/** Polls in flight for each provider: enough for 10,000 jobs that are polled every 5 seconds and answered in 50 ms. */
const AT_ONCE = 100;
/** Polls of overdue jobs in flight: each is short, whatever its provider does. */
const OVERDUE_AT_ONCE = 500;
const SHUTDOWN_MS_MAX = 5_000;

const pause = (milliseconds: number): Promise<void> =>
  wait(Math.max(0, milliseconds), undefined, { ref: false });

/**
 * Polls due jobs. The database holds the due times, so a lost queue loses no job. A run starts polls without awaiting
 * them, and each provider has its own limit, so a hanging provider delays no other. A poll counts until the provider
 * has answered; the copy of the result has a separate limit.
 */
@Injectable()
export class JobPollProcessor extends ScheduledProcessor implements BeforeApplicationShutdown {
  readonly name = 'job-poll';
  readonly everyMs = 2_000;
  private readonly pollsByProvider: ReadonlyMap<ProviderName, Set<Promise<void>>>;
  /** Providers inside this process can't hang for long. */
  private readonly ours: readonly ProviderName[];
  private readonly withoutProvider = new Set<Promise<void>>();
  private readonly overdue = new Set<Promise<void>>();
  /** All polls, including those that still copy a result. */
  private readonly unended = new Set<Promise<void>>();
  private stopping = false;

  constructor(
    private readonly jobs: DueJobsRepository,
    private readonly poller: JobPoller,
    providers: Providers,
  ) {
    super();
    this.pollsByProvider = new Map(providers.names.map((name) => [name, new Set()]));
    this.ours = providers.names.filter((name) => providers.media(name)?.isOurs === true);
  }

  /**
   * Fills the free slots of each provider until the next run. Overdue jobs have separate slots, so hanging polls never
   * delay their decision.
   */
  async run(): Promise<void> {
    const due = await this.jobs.due();
    const isOverdue = due.some(({ provider, overdue }) => overdue && !this.ours.includes(provider ?? ''));
    const isNobodys = due.some(({ provider }) => !this.pollsByProvider.has(provider ?? ''));
    await Promise.all([
      isOverdue && this.fill(this.overdue, OVERDUE_AT_ONCE, (room) => this.jobs.takeOverdue(this.ours, room)),
      isNobodys &&
        this.fill(this.withoutProvider, AT_ONCE, (room) =>
          this.jobs.takeDueWithoutProvider([...this.pollsByProvider.keys()], room),
        ),
      ...due.map(({ provider = '' }) => {
        const polls = this.pollsByProvider.get(provider);
        return polls && this.fill(polls, AT_ONCE, (room) => this.jobs.takeDue(provider, room));
      }),
    ]);
  }

  private async fill(
    polls: Set<Promise<void>>,
    atOnce: number,
    take: (room: number) => Promise<readonly Job[]>,
  ): Promise<void> {
    const until = Date.now() + this.everyMs;
    while (!this.stopping && Date.now() < until) {
      const room = atOnce - polls.size;
      const due = room === 0 ? [] : await take(room);
      for (const job of due) {
        const poll = new Promise<void>((answered) => this.begin(job, answered)).finally(() =>
          polls.delete(poll),
        );
        polls.add(poll);
      }
      if (due.length < room) return;
      await Promise.race([...polls, pause(until - Date.now())]);
    }
  }

  private begin(job: Job, answered: () => void): void {
    const poll = inTraceOf('look', job.chargeId, () => this.poller.poll(job, answered))
      .catch((error: unknown) => this.logger.warn({ err: error, jobId: job.id }, 'A poll of a job failed.'))
      .finally(() => {
        answered();
        this.unended.delete(poll);
      });
    this.unended.add(poll);
  }

  /** An interrupted poll is due again for another process. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await within(SHUTDOWN_MS_MAX, Promise.allSettled(this.unended), () => undefined);
  }
}
