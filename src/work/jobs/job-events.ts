import { Injectable } from '@nestjs/common';

import { jobEventIds } from '#notices/outbox/event-types';
import { Events, type ShownEvent } from '#notices/outbox/events';
import type { Job } from './job.entity';
import { JobSubscriptions } from './job-subscriptions';
import { JobsService } from './jobs.service';

/** One step of a job. Progress is sent and not stored, so such a step has no id. */
export type JobStep = Omit<ShownEvent, 'id' | 'type'> & {
  readonly id?: string;
  readonly type: ShownEvent['type'] | 'job.progress';
};

/** The events of one job from the event log, and its progress between them. */
@Injectable()
export class JobEvents {
  constructor(
    private readonly events: Events,
    private readonly jobs: JobsService,
    private readonly subscriptions: JobSubscriptions,
  ) {}

  /** All steps after a given one, until the last step or until the signal aborts. */
  async *of(first: Job, lastId: string | undefined, over: AbortSignal): AsyncGenerator<JobStep> {
    const ids = jobEventIds(first.id);
    let lastSent = ids.indexOf(lastId ?? '') + 1;
    let progress: number | undefined;
    for await (const job of this.seen(first, over)) {
      for (const step of await this.kept(job)) {
        const index = ids.indexOf(step.id ?? '') + 1;
        if (index <= lastSent) continue;
        lastSent = index;
        yield step;
      }
      if (job.status !== 'running') return;
      const shown = { id: job.id, ...this.jobs.answer(job) };
      if (shown.progress === progress) continue;
      progress = shown.progress;
      yield { type: 'job.progress', createdAt: new Date().toISOString(), data: shown };
    }
  }

  /** Yields the job now and after each poll. The last poll finds its end. */
  private async *seen(first: Job, over: AbortSignal): AsyncGenerator<Job> {
    let newest: Job | undefined = first;
    let wake = (): void => undefined;
    const unwatch = this.subscriptions.add(first.id, (job) => {
      newest = job;
      wake();
    });
    const end = (): void => wake();
    over.addEventListener('abort', end);
    try {
      while (!over.aborted) {
        if (newest === undefined) {
          await new Promise<void>((resolve) => (wake = resolve));
          continue;
        }
        const job: Job = newest;
        newest = undefined;
        yield job;
      }
    } finally {
      over.removeEventListener('abort', end);
      unwatch();
    }
  }

  /** The job's events in the log. If the log no longer has them, the job's present state replaces them. */
  private async kept(job: Job): Promise<readonly JobStep[]> {
    const kept = (await this.events.ofJob(job.id)).map((event) => this.events.present(event));
    const hasEnd = kept.some(({ type }) => type !== 'job.accepted');
    if (kept.length > 0 && (hasEnd || job.status === 'running')) return kept;
    const [accepted, done, failed] = jobEventIds(job.id);
    const shown = { id: job.id, ...this.jobs.answer(job) };
    const begin: JobStep = {
      id: accepted,
      type: 'job.accepted',
      createdAt: shown.createdAt,
      data: {
        ...shown,
        status: 'running',
        progress: 0,
        url: undefined,
        error: undefined,
        finishedAt: undefined,
      },
    };
    if (job.status === 'running') return [begin];
    const createdAt = shown.finishedAt ?? shown.createdAt;
    return [
      begin,
      job.status === 'done'
        ? { id: done, type: 'job.done', createdAt, data: shown }
        : { id: failed, type: 'job.failed', createdAt, data: shown },
    ];
  }
}
