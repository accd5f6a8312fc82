/** The callbacks of each signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Runs a callback once when a signal aborts. The returned function cancels this. A signal that many calls share has
 * only one listener, because Node warns about more than ten.
 */
export const onAbort = (signal: AbortSignal | undefined, act: () => void): (() => void) => {
  if (signal === undefined) return () => undefined;
  let acts = waiting.get(signal);
  if (acts === undefined) {
    const all = new Set<() => void>();
    acts = all;
    waiting.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((one) => one()), { once: true });
  }
  acts.add(act);
  return () => void acts.delete(act);
};
