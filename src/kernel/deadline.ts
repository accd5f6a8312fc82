import { setMaxListeners } from 'node:events';

import { onAbort } from './abort';

interface Shared {
  readonly signal: AbortSignal;
  readonly until: number;
}

const newest = new Map<number, Shared>();

/**
 * A signal that aborts after the given seconds, or up to one second later. Calls that begin in the same second share a
 * signal, because a new signal costs more than most other work of a call.
 */
export const deadlineIn = (seconds: number): AbortSignal => {
  const now = performance.now();
  let shared = newest.get(seconds);
  if (shared === undefined || shared.until < now || shared.signal.aborted) {
    const signal = AbortSignal.timeout((seconds + 1) * 1_000);
    setMaxListeners(0, signal);
    shared = { signal, until: now + 1_000 };
    newest.set(seconds, shared);
  }
  return shared.signal;
};

const LATE = Symbol('late');

/**
 * The result of the work, or the result of `late` if the work takes longer. Late work continues, and its failure then
 * has no effect. The wait keeps no process alive.
 */
export const within = async <T, Late>(
  milliseconds: number,
  work: Promise<T>,
  late: () => Late,
): Promise<T | Late> => {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), milliseconds).unref();
  });
  try {
    const first = await Promise.race([work, over]);
    return first === LATE ? late() : first;
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
};

/** The result of the work. Aborts the controller if the work takes longer. The wait keeps no process alive. */
export const abortAfter = async <T>(
  milliseconds: number,
  controller: AbortController,
  work: () => Promise<T>,
): Promise<T> => {
  const timer = setTimeout(() => controller.abort(), milliseconds).unref();
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
};

/** The result of the work. Fails at once when the signal aborts; the failure of the work then has no effect. */
export const unlessAborted = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  let forget: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    forget = onAbort(signal, () => reject(signal.reason as Error));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    forget?.();
  }
};
