import { Injectable } from '@nestjs/common';

import { RateLimited, RateLimits } from './rate-limits';

/** As many addresses as are remembered; more would be a flood, and the oldest is let go. */
const ADDRESSES_MAX = 10_000;

/**
 * Counts credentials that were no good against the address they came from, like challenges. Whoever guesses keys or
 * signatures is told to wait, for a while even with a good one.
 */
@Injectable()
export class CredentialGuesses {
  private readonly refused = new Map<string, { readonly until: number; readonly error: RateLimited }>();

  constructor(private readonly limits: RateLimits) {}

  async count(address: string): Promise<void> {
    try {
      await this.limits.count('challenge', address);
    } catch (error) {
      if (!(error instanceof RateLimited)) return; // The storage is ill; nobody is punished for that.
      const [oldest] = this.refused.keys();
      if (this.refused.size >= ADDRESSES_MAX && oldest !== undefined) this.refused.delete(oldest);
      const until = Date.now() + (error.extras.retryAfterSeconds ?? 1) * 1_000;
      this.refused.set(address, { until, error });
    }
  }

  /** The refusal that still stands against an address. */
  refusal(address: string): RateLimited | undefined {
    const found = this.refused.get(address);
    if (found === undefined) {
      return undefined;
    }
    if (found.until <= Date.now()) {
      this.refused.delete(address);
      return undefined;
    }
    return found.error;
  }
}
