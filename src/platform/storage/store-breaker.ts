import { Logger } from '@nestjs/common';

import { Outage } from '../background/outage';
import { BlobStoreUnavailable } from './blob-store.errors';

/** A single failure may be the fault of its call. More failures in a row count as the fault of the store. */
const FAILURES_MAX = 1;
const FIRST_PAUSE_MS = 250;
/** The service must work again within 5 seconds after the store does, so this pause is shorter. */
const LONGEST_PAUSE_MS = 3_000;

/** A circuit breaker for a failing store. During a pause, calls fail at once. After it, one call tests the store. */
export class StoreBreaker {
  private readonly outage = new Outage('Storing media', new Logger('Storage'));
  private failures = 0;
  private until = 0;

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (Date.now() < this.until) throw new BlobStoreUnavailable(new Error('The store failed a moment ago.'));
    if (this.failures > FAILURES_MAX) this.until = Date.now() + LONGEST_PAUSE_MS;
    try {
      const result = await work();
      this.worked();
      return result;
    } catch (error) {
      if (error instanceof BlobStoreUnavailable) this.failed(error);
      else this.worked(); // The store has answered, so it works.
      throw error;
    }
  }

  worked(): void {
    this.failures = 0;
    this.until = 0;
    this.outage.worked();
  }

  private failed(error: unknown): void {
    this.failures += 1;
    if (this.failures <= FAILURES_MAX) return;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.failures - FAILURES_MAX - 1));
    this.until = Date.now() + pause * (0.5 + Math.random() / 2);
    this.outage.failed(error);
  }
}
