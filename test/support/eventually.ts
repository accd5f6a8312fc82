import { setTimeout as pause } from 'node:timers/promises';

const BOUND_MS = 60_000;
/** A look may be a question to a database, of which others want something, too: the longer it takes, the fewer looks. */
const PAUSE_MS_MIN = 5;
const PAUSE_MS_MAX = 50;

/**
 * Waits until this holds, as shortly as possible, and fails when it does not happen. A look that throws is a look too
 * early: a page may not have drawn yet, and a server may not listen yet. The last error is the cause of the failure.
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
