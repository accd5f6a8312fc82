import { LRUCache } from 'lru-cache';

/** The limits of one owner's notes: first a burst of this many, and then one in each interval. */
export const SAMPLE_BURST = 60;
export const SAMPLE_EVERY_MS = 5_000;
const OWNERS_MAX = 10_000;

interface Allowance {
  left: number;
  at: number;
}

/** Limits the notes of each owner, so that one owner's refusals can't fill the table. */
export class Sample {
  private readonly allowances = new LRUCache<string, Allowance>({ max: OWNERS_MAX });

  /** Whether to keep another note of the owner. `now` is in milliseconds and must never decrease. */
  takes(owner: string, now: number): boolean {
    const allowance = this.allowances.get(owner) ?? { left: SAMPLE_BURST, at: now };
    const regained = Math.floor((now - allowance.at) / SAMPLE_EVERY_MS);
    allowance.left = Math.min(SAMPLE_BURST, allowance.left + regained);
    allowance.at += regained * SAMPLE_EVERY_MS;
    this.allowances.set(owner, allowance);
    if (allowance.left === 0) return false;
    allowance.left -= 1;
    return true;
  }
}
