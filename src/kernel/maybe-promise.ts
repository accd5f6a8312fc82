/** What is mostly at hand, and has to be waited for now and then. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Goes on with a value at once where it is at hand. Waiting for what need not be waited for costs a call more than most
 * of what it does: each `await` is a turn of the queue and some hundred bytes.
 */
export const whenReady = <T, U>(
  value: MaybePromise<T>,
  goOn: (value: T) => MaybePromise<U>,
): MaybePromise<U> => (value instanceof Promise ? value.then(goOn) : goOn(value));

/** The first answer that there is; who comes after it is not asked. */
export const firstAnswer = <T>(
  asks: readonly (() => MaybePromise<T | undefined>)[],
  at = 0,
): MaybePromise<T | undefined> => {
  const ask = asks[at];
  return ask && whenReady(ask(), (answer) => answer ?? firstAnswer(asks, at + 1));
};
