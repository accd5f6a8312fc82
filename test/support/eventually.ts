import { setTimeout as pause } from 'node:timers/promises';

const BOUND_MS = 60_000;
/** A look may be a question to a database, of which others want something, too: the longer it takes, the fewer looks. */
const PAUSE_MS_MIN = 5;
const PAUSE_MS_MAX = 50;

/** Waits for what happens in its own time, as shortly as it takes; fails when it doesn't happen. */
export const expectEventually = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + BOUND_MS;
  for (let ms = PAUSE_MS_MIN; !(await holds()); ms = Math.min(ms * 1.5, PAUSE_MS_MAX)) {
    if (Date.now() > end) throw new Error(`This did not become true in ${BOUND_MS} ms: ${String(holds)}`);
    await pause(ms);
  }
};
