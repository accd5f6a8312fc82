const ENDS = Symbol('ends');

interface Shared extends AbortSignal {
  [ENDS]?: Set<() => void>;
}

/**
 * Runs `end` when the signal aborts, at once if it already has; the returned function cancels that. For signals that
 * many calls share: one listener serves them all. Separate listeners, once removed, would each keep the next one, and
 * its call with it, in memory.
 */
export const onAbort = (signal: AbortSignal, end: () => void): (() => void) => {
  if (signal.aborted) {
    end();
    return () => undefined;
  }
  const ends = endsOf(signal);
  ends.add(end);
  return () => {
    ends.delete(end);
  };
};

/** Aborts when either signal does. The first may be shared by many calls. */
export const eitherAborted = (shared: AbortSignal, own: AbortSignal | undefined): AbortSignal => {
  if (own === undefined) return shared;
  const controller = new AbortController();
  const cancel = onAbort(shared, () => controller.abort(shared.reason));
  onAbort(own, () => {
    cancel();
    controller.abort(own.reason);
  });
  return controller.signal;
};

const endsOf = (signal: Shared): Set<() => void> => {
  const known = signal[ENDS];
  if (known !== undefined) return known;
  const ends = new Set<() => void>();
  signal[ENDS] = ends;
  signal.addEventListener('abort', () => ends.forEach(run), { once: true });
  return ends;
};

/** An error of one callback stops no other, and is as unhandled as in a listener of its own. */
const run = (end: () => void): void => {
  try {
    end();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
};
