/** A value that is usually available at once, and sometimes a promise. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Continues at once if the value is available. Only the counts of rate limits use it: a guard must count and uncount a
 * call without a pause. Everywhere else an `await` of a known value is cheap enough (ADR 103).
 */
export const whenReady = <T, U>(
  value: MaybePromise<T>,
  work: (value: T) => MaybePromise<U>,
): MaybePromise<U> => (value instanceof Promise ? value.then(work) : work(value));
