import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import { Database } from '../platform/database/database';

/** Wakes those who wait for a job, in whatever process it ended. */
@Injectable()
export class JobNews implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly waiting = new Map<string, Set<() => void>>();
  private stop?: () => Promise<void>;

  constructor(private readonly db: Database) {}

  async onApplicationBootstrap(): Promise<void> {
    this.stop = await this.db.listen('job_moved', (jobId) => {
      for (const wake of this.waiting.get(jobId) ?? []) wake();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop?.();
  }

  /** Resolves when the job has moved, after `milliseconds`, or when `signal` says that waiting is over. */
  async next(jobId: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    const waiters = this.waiting.get(jobId) ?? new Set();
    this.waiting.set(jobId, waiters);
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal.addEventListener('abort', done, { once: true });
      waiters.add(done);
      if (signal.aborted) done();
    });
    if (waiters.size === 0) this.waiting.delete(jobId);
  }
}
