/** By the signal: all that is to be done once it is aborted. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Does something once when a signal is aborted, unless what it gives is called before. A signal that serves many calls at once
 * has one listener all the same: Node warns of more than ten.
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
