import { setTimeout as pause } from 'node:timers/promises';

const BOUND_MS = 40_000;

/** Waits for what happens in its own time, as shortly as it takes; fails when it doesn't happen. */
export const expectEventually = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + BOUND_MS; !(await holds()); await pause(5)) {
    if (Date.now() > end) throw new Error(`This did not become true in ${BOUND_MS} ms: ${String(holds)}`);
  }
};
