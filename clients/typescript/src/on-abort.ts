interface Waiting {
  readonly acts: Set<() => void>;
  readonly run: () => void;
}

/** The callbacks of each signal. */
const waiting = new WeakMap<AbortSignal, Waiting>();

const waitingOf = (signal: AbortSignal): Waiting => {
  const acts = new Set<() => void>();
  const made = { acts, run: () => acts.forEach((act) => act()) };
  waiting.set(signal, made);
  signal.addEventListener('abort', made.run, { once: true });
  return made;
};

/**
 * Runs a callback once when a signal aborts. The returned function cancels this. A signal that many calls share has
 * only one listener, because Node warns about more than ten. Without callbacks it has none, because a listener on
 * `AbortSignal.timeout` keeps a Deno process alive.
 */
export const onAbort = (signal: AbortSignal | undefined, act: () => void): (() => void) => {
  if (signal === undefined) return () => undefined;
  const { acts, run } = waiting.get(signal) ?? waitingOf(signal);
  acts.add(act);
  return () => {
    acts.delete(act);
    if (acts.size > 0) return;
    signal.removeEventListener('abort', run);
    waiting.delete(signal);
  };
};

/** The outcome of work, or the reason of an abort at once. The work itself goes on. */
export const untilAbort = <T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal?.reason as Error));
    work.then(resolve, reject).finally(forget);
  });
