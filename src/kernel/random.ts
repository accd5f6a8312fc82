import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8 * 1024;

let pool = Buffer.alloc(0);
let used = 0;

/**
 * Unpredictable bytes. The code requests them from the system in large blocks, because a request costs more than its
 * bytes.
 */
export const randomBytes = (count: number): Buffer => {
  if (used + count > pool.length) {
    // Each block is a new buffer, so that bytes that were returned before never change.
    pool = randomFillSync(Buffer.allocUnsafeSlow(Math.max(POOL_BYTES, count)));
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
};
