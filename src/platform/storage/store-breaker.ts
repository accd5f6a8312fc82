import { Logger } from '@nestjs/common';

import { Outage } from '../background/outage';
import { LONGEST_PAUSE_MS, retryPauseMs } from '../background/retry-pause';
import { BlobStoreUnavailable } from './blob-store.errors';

/** A single failure may be the fault of its call. More failures in a row count as the fault of the store. */
const FAILURES_MAX = 1;

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
    this.until = Date.now() + retryPauseMs(this.failures - FAILURES_MAX);
    this.outage.failed(error);
  }
}
