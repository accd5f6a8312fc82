import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import { Database } from '../platform/database/database';
import type { Job } from './job.entity';
import { JobRepository } from './job.repository';

const LOOK_EVERY_MS = 1_000;

type See = (job: Job) => void;

/**
 * Shows jobs to those who watch them: each second, with one question for all that are watched in this process, and at once
 * when one has ended. It asks nothing while nobody watches.
 */
@Injectable()
export class JobWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(JobWatch.name);
  private readonly watched = new Map<string, Set<See>>();
  private timer?: NodeJS.Timeout;
  private looking = false;
  private stop?: () => Promise<void>;

  constructor(
    private readonly db: Database,
    private readonly jobs: JobRepository,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.stop = await this.db.listen('job_moved', (id) => {
      if (this.watched.has(id)) void this.look([id]);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.stop?.();
  }

  /** Shows a job again and again, changed or not, until the answer is called. */
  watch(id: string, see: See): () => void {
    const those = this.watched.get(id) ?? new Set();
    this.watched.set(id, those.add(see));
    this.timer ??= setInterval(() => void this.lookAtAll(), LOOK_EVERY_MS).unref();
    return () => {
      those.delete(see);
      if (those.size === 0 && this.watched.get(id) === those) this.watched.delete(id);
      if (this.watched.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  /** Resolves when it has ended, or when the wait is over. */
  async untilEnded({ id }: Job, over: AbortSignal): Promise<void> {
    if (over.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        unwatch();
        over.removeEventListener('abort', done);
        resolve();
      };
      const unwatch = this.watch(id, ({ status }) => {
        if (status !== 'running') done();
      });
      over.addEventListener('abort', done);
    });
  }

  /** Never two at once, however slow the database is. */
  private async lookAtAll(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    await this.look([...this.watched.keys()]);
    this.looking = false;
  }

  private async look(ids: readonly string[]): Promise<void> {
    try {
      for (const job of await this.jobs.some(ids)) {
        for (const see of this.watched.get(job.id) ?? []) see(job);
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'Jobs that are watched could not be looked at; the next look will.');
    }
  }
}
