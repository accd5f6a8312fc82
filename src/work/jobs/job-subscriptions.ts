import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { Database } from '#platform/database/database';
import type { Job } from './job.entity';
import { JobRepository } from './job.repository';

const POLL_EVERY_MS = 1_000;

type See = (job: Job) => void;

/**
 * Sends the state of jobs to their subscribers each second, by one query for all subscribed jobs of this process. The end
 * of a job is sent at once. Without subscribers it queries nothing.
 */
@Injectable()
export class JobSubscriptions implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly watched = new Map<string, Set<See>>();
  private readonly loadingAll: BackgroundTask;
  private readonly loadingMoved: BackgroundTask;
  private readonly moved = new Set<string>();
  private stop?: () => Promise<void>;

  constructor(
    private readonly db: Database,
    private readonly jobs: JobRepository,
    background: BackgroundWork,
  ) {
    this.loadingAll = background.task('Looking at watched jobs', () => this.loadAll());
    this.loadingMoved = background.task('Looking at jobs that moved', () => this.loadMoved());
  }

  async onApplicationBootstrap(): Promise<void> {
    this.stop = await this.db.listen('job_moved', (id) => {
      if (!this.watched.has(id)) return;
      this.moved.add(id);
      this.loadingMoved.wake();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop?.();
    await Promise.all([this.loadingAll.stop(), this.loadingMoved.stop()]);
  }

  /** Calls `see` with the job repeatedly, changed or not. The returned function unsubscribes. */
  add(id: string, see: See): () => void {
    const those = this.watched.get(id) ?? new Set();
    this.watched.set(id, those.add(see));
    this.loadingAll.wake(POLL_EVERY_MS);
    return () => {
      those.delete(see);
      if (those.size === 0 && this.watched.get(id) === those) this.watched.delete(id);
    };
  }

  /** Resolves when the job has ended, or when the signal aborts. */
  async untilEnded({ id }: Job, over: AbortSignal): Promise<void> {
    if (over.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        unwatch();
        over.removeEventListener('abort', done);
        resolve();
      };
      const unwatch = this.add(id, ({ status }) => {
        if (status !== 'running') done();
      });
      over.addEventListener('abort', done);
    });
  }

  /** It repeats only while there are subscribers. */
  private async loadAll(): Promise<void> {
    if (this.watched.size === 0) return;
    this.loadingAll.wake(POLL_EVERY_MS);
    await this.load([...this.watched.keys()]);
  }

  /** A job whose read failed is read again with all subscribed jobs. */
  private async loadMoved(): Promise<void> {
    const moved = [...this.moved];
    this.moved.clear();
    await this.load(moved);
  }

  private async load(ids: readonly string[]): Promise<void> {
    for (const job of await this.jobs.some(ids)) {
      for (const see of this.watched.get(job.id) ?? []) see(job);
    }
  }
}
