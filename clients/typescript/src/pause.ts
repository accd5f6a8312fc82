import { onAbort } from './on-abort.ts';

/** Waits, until the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const forget = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    });
    const timer = setTimeout(() => {
      forget();
      resolve();
    }, ms);
  });
