import { setTimeout as wait } from 'node:timers/promises';

import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { inTraceOf } from '../platform/telemetry/traces';
import type { ProviderName } from '../providers/provider-name';
import { Providers } from '../providers/providers';
import type { Job } from './job.entity';
import { JobPoller } from './job-poller';
import { JobRepository } from './job.repository';

/** Looks in flight at once: enough for 10,000 jobs that are looked at every 5 seconds and answered in 50 ms. */
const AT_ONCE = 100;
/** Looks at jobs whose time is up: each is short, whatever its provider does. */
const OVERDUE_AT_ONCE = 500;
const SHUTDOWN_MS_MAX = 5_000;

const pause = (milliseconds: number): Promise<void> =>
  wait(Math.max(0, milliseconds), undefined, { ref: false });

/**
 * Looks at jobs that are due. Which are due stands in the database, so losing the queue loses no job. A run starts
 * looks and does not wait for their end, and each provider has a lane of its own: one that hangs holds up nobody else. A
 * look has its place in the lane until the provider has answered; a copy of the result has a place of its own.
 */
@Injectable()
export class JobPollProcessor extends ScheduledProcessor implements BeforeApplicationShutdown {
  readonly name = 'job-poll';
  readonly everyMs = 2_000;
  private readonly pollsByProvider: ReadonlyMap<ProviderName, Set<Promise<void>>>;
  /** Those that work in our own process hang in front of nobody. */
  private readonly ours: readonly ProviderName[];
  private readonly withoutProvider = new Set<Promise<void>>();
  private readonly overdue = new Set<Promise<void>>();
  /** All looks, also those whose providers have answered. */
  private readonly unended = new Set<Promise<void>>();
  private stopping = false;

  constructor(
    private readonly jobs: JobRepository,
    private readonly poller: JobPoller,
    providers: Providers,
  ) {
    super();
    this.pollsByProvider = new Map(providers.names.map((name) => [name, new Set()]));
    this.ours = providers.names.filter((name) => providers.media(name)?.isOurs === true);
  }

  /**
   * A lane that is full is filled up again as its looks end, until the next run does it. Those whose time is up have a
   * lane of their own: however many hang in front of them, they are decided in time.
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
        const looks = this.pollsByProvider.get(provider);
        return looks && this.fill(looks, AT_ONCE, (room) => this.jobs.takeDue(provider, room));
      }),
    ]);
  }

  private async fill(
    looks: Set<Promise<void>>,
    atOnce: number,
    take: (room: number) => Promise<readonly Job[]>,
  ): Promise<void> {
    const until = Date.now() + this.everyMs;
    while (!this.stopping && Date.now() < until) {
      const room = atOnce - looks.size;
      const due = room === 0 ? [] : await take(room);
      for (const job of due) {
        const place = new Promise<void>((answered) => this.begin(job, answered)).finally(() =>
          looks.delete(place),
        );
        looks.add(place);
      }
      if (due.length < room) return;
      await Promise.race([...looks, pause(until - Date.now())]);
    }
  }

  private begin(job: Job, answered: () => void): void {
    const look = inTraceOf('look', job.chargeId, () => this.poller.poll(job, answered))
      .catch((error: unknown) => this.logger.warn({ err: error, jobId: job.id }, 'A look at a job failed.'))
      .finally(() => {
        answered();
        this.unended.delete(look);
      });
    this.unended.add(look);
  }

  /** What is cut off here is due again for somebody else. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await Promise.race([Promise.allSettled(this.unended), pause(SHUTDOWN_MS_MAX)]);
  }
}
