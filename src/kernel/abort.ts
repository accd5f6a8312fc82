const ENDS = Symbol('ends');

interface Shared extends AbortSignal {
  [ENDS]?: Set<() => void>;
}

/**
 * Runs `end` when the signal is aborted, at once if it is already; the answer takes that back. For signals that many
 * calls share: one listener serves them all. Listeners of their own, once taken off, would each keep the next one, and
 * its call with it, from being collected soon.
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

const endsOf = (signal: Shared): Set<() => void> => {
  const known = signal[ENDS];
  if (known !== undefined) return known;
  const ends = new Set<() => void>();
  signal[ENDS] = ends;
  signal.addEventListener('abort', () => ends.forEach(run), { once: true });
  return ends;
};

/** One that throws keeps no other from its end, and is as unforeseen as in a listener of its own. */
const run = (end: () => void): void => {
  try {
    end();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
};
