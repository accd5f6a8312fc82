import { Members } from './members';

const ENDS = Symbol('ends');

interface Shared extends AbortSignal {
  [ENDS]?: Members<() => void>;
}

/**
 * Runs `end` when the signal aborts, or at once if it has already aborted. The returned function cancels this. It is
 * for signals that many calls share: all share one listener. With separate listeners, each removed listener would keep
 * the next one, and its call, in memory.
 */
export const onAbort = (signal: AbortSignal, end: () => void): (() => void) => {
  if (signal.aborted) {
    end();
    return () => undefined;
  }
  return endsOf(signal).add(end);
};

/**
 * A signal that aborts when one of the two aborts. Many calls may share the first one. Node would keep a signal of
 * `AbortSignal.any` that has a listener in memory until it aborts, and most calls end without an abort.
 */
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

/**
 * Runs `work` with a signal that aborts when one of the two aborts. Many calls may share the first one for minutes, so
 * finished work leaves nothing with it.
 */
export const untilEither = async <T>(
  shared: AbortSignal,
  own: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  if (own === undefined) return work(shared);
  const { signal, forget } = eitherOf(shared, own);
  try {
    return await work(signal);
  } finally {
    forget();
  }
};

/** The same for work that gives its result in pieces. Its reader must read to the end, or return early. */
export const eachUntilEither = <T>(
  shared: AbortSignal,
  own: AbortSignal | undefined,
  work: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncIterator<T> =>
  (own === undefined ? work(shared) : piecesUntil(eitherOf(shared, own), work))[Symbol.asyncIterator]();

interface Either {
  readonly signal: AbortSignal;
  readonly forget: () => void;
}

const eitherOf = (...both: readonly AbortSignal[]): Either => {
  const controller = new AbortController();
  const cancels = both.map((one) => onAbort(one, () => controller.abort(one.reason)));
  return {
    signal: controller.signal,
    forget: () => {
      for (const cancel of cancels) cancel();
    },
  };
};

async function* piecesUntil<T>(
  { signal, forget }: Either,
  work: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* work(signal);
  } finally {
    forget();
  }
}

const endsOf = (signal: Shared): Members<() => void> => {
  const known = signal[ENDS];
  if (known !== undefined) return known;
  const ends = new Members<() => void>();
  signal[ENDS] = ends;
  signal.addEventListener('abort', () => ends.forEach(run), { once: true });
  return ends;
};

/** If one callback throws, the others still run. The error stays unhandled, as in a separate listener. */
const run = (end: () => void): void => {
  try {
    end();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
};
