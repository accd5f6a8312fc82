/** What is mostly at hand, and has to be waited for now and then. */
export type Soon<T> = T | Promise<T>;

/**
 * Goes on with a value at once where it is at hand. Waiting for what need not be waited for costs a call more than most
 * of what it does: each `await` is a turn of the queue and some hundred bytes.
 */
export const soon = <T, U>(value: Soon<T>, goOn: (value: T) => Soon<U>): Soon<U> =>
  value instanceof Promise ? value.then(goOn) : goOn(value);

/** The first answer that there is; who comes after it is not asked. */
export const firstAnswer = <T>(asks: readonly (() => Soon<T | undefined>)[], at = 0): Soon<T | undefined> => {
  const ask = asks[at];
  return ask && soon(ask(), (answer) => answer ?? firstAnswer(asks, at + 1));
};
