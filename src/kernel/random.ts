import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8 * 1024;

let pool = Buffer.alloc(0);
let used = 0;

/** Bytes that nobody can guess. They are asked of the system many at a time, because asking costs more than they do. */
export const randomBytes = (count: number): Buffer => {
  if (used + count > pool.length) {
    // A new one each time: what was given out stays what it was.
    pool = randomFillSync(Buffer.allocUnsafeSlow(Math.max(POOL_BYTES, count)));
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
};
