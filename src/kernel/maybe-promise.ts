/** A value that is usually available at once, and sometimes a promise. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Continues at once if the value is available. An unnecessary `await` costs more than most other work of a call: a turn
 * of the microtask queue and about a hundred bytes.
 */
export const whenReady = <T, U>(
  value: MaybePromise<T>,
  work: (value: T) => MaybePromise<U>,
): MaybePromise<U> => (value instanceof Promise ? value.then(work) : work(value));
