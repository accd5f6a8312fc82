import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';

import { onAbort } from '#kernel/abort';
import type { Database } from './database';

/** Wakes code that waits for a row to change, in any process. The woken code reads the row again. */
export abstract class RowNotifier implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly waiting = new Map<string, Set<() => void>>();
  private stop?: () => Promise<void>;

  constructor(
    private readonly db: Database,
    private readonly channel: string,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.stop = await this.db.listen(this.channel, (id) => this.moved(id));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop?.();
  }

  moved(id: string): void {
    for (const wake of this.waiting.get(id) ?? []) wake();
  }

  /**
   * Resolves when the row has changed, when `signal` aborts, or after `milliseconds`, because a notification can be
   * lost.
   */
  async next(id: string, milliseconds: number, signal?: AbortSignal): Promise<void> {
    const waiters = this.waiting.get(id) ?? new Set();
    this.waiting.set(id, waiters);
    await new Promise<void>((resolve) => {
      let forget: (() => void) | undefined;
      const done = (): void => {
        clearTimeout(timer);
        forget?.();
        waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      waiters.add(done);
      forget = signal && onAbort(signal, done);
    });
    if (waiters.size === 0) this.waiting.delete(id);
  }
}
