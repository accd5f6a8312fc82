import { setTimeout as pause } from 'node:timers/promises';

const BOUND_MS = 60_000;
/** A look may be a query to a database that other code needs too. So the pause between looks grows. */
const PAUSE_MS_MIN = 5;
const PAUSE_MS_MAX = 50;

/**
 * Waits until a condition holds, for as short as possible, and fails if it never does. A look that throws came too
 * early: a page may not be drawn yet, or a server may not listen yet. The last error is the cause of the failure.
 */
export const expectEventually = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + BOUND_MS;
  for (let ms = PAUSE_MS_MIN; ; ms = Math.min(ms * 1.5, PAUSE_MS_MAX)) {
    let cause: unknown;
    try {
      if (await holds()) return;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > end)
      throw new Error(`This did not become true in ${BOUND_MS} ms: ${String(holds)}`, { cause });
    await pause(ms);
  }
};
