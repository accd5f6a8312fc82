import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import { Database } from '../../platform/database/database';

/** Notices can be missed while a connection is away; a waiter looks for itself this often. */
const LOOK_AGAIN_MS = 1_000;

/** Tells those who wait for a charge, in this process and in others, that it has moved. */
@Injectable()
export class ChargeNews implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly waiting = new Map<string, Set<() => void>>();
  private stop?: () => Promise<void>;

  constructor(private readonly db: Database) {}

  async onApplicationBootstrap(): Promise<void> {
    this.stop = await this.db.listen('charge_moved', (chargeId) => this.moved(chargeId));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop?.();
  }

  moved(chargeId: string): void {
    for (const wake of this.waiting.get(chargeId) ?? []) wake();
  }

  /** Resolves when the charge has moved, or when it is time to look again. */
  async next(chargeId: string): Promise<void> {
    const waiters = this.waiting.get(chargeId) ?? new Set();
    this.waiting.set(chargeId, waiters);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, LOOK_AGAIN_MS);
      function done(): void {
        clearTimeout(timer);
        waiters.delete(done);
        resolve();
      }
      waiters.add(done);
    });
    if (waiters.size === 0) this.waiting.delete(chargeId);
  }
}
