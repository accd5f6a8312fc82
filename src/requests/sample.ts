import { LRUCache } from 'lru-cache';

/** The notes of one owner: this many at once, and then one in each interval. */
export const SAMPLE_BURST = 60;
export const SAMPLE_EVERY_MS = 5_000;
const OWNERS_MAX = 10_000;

interface Allowance {
  left: number;
  at: number;
}

/** Bounds the notes of each owner, so that one owner's refusals fill no table. */
export class Sample {
  private readonly allowances = new LRUCache<string, Allowance>({ max: OWNERS_MAX });

  /** Whether one more note of the owner is kept. `now` is in milliseconds and never goes back. */
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
