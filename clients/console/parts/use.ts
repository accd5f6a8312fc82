import { type Dispatch, type StateUpdater, useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly loading: boolean;
  /** Loads again. Meanwhile, the old data stay visible. */
  readonly reload: () => void;
  readonly setData: Dispatch<StateUpdater<T | undefined>>;
}

/** Loads data of the service, and loads them again when `inputs` change. It ignores outdated answers. */
export const useLoaded = <T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> => {
  const [data, setData] = useState<T>();
  const [error, setError] = useState<Error>();
  const [loading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setLoading(true);
    load(stop.signal)
      .then(
        (answer) => {
          if (stop.signal.aborted) return;
          setData(answer);
          setError(undefined);
        },
        (failure: unknown) => {
          if (!stop.signal.aborted) setError(failure as Error);
        },
      )
      .finally(() => {
        if (!stop.signal.aborted) setLoading(false);
      });
    return () => stop.abort();
  }, [...inputs, turn]);
  return { data, error, loading, reload: useCallback(() => setTurn((before) => before + 1), []), setData };
};

/** Calls `reload` when the person returns to the page, because hidden pages load nothing. */
export const useReturned = (reload: () => void): void => {
  const newest = useRef(reload);
  newest.current = reload;
  useEffect(() => {
    const returned = (): void => {
      if (!document.hidden) newest.current();
    };
    document.addEventListener('visibilitychange', returned);
    return () => document.removeEventListener('visibilitychange', returned);
  }, []);
};

/** An action of the person: whether it is running, and its error. */
export const useAction = <A extends readonly unknown[]>(
  act: (...args: A) => Promise<void>,
): {
  readonly run: (...args: A) => Promise<void>;
  readonly running: boolean;
  readonly error: Error | undefined;
  readonly clear: () => void;
} => {
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<Error>();
  const busy = useRef(false);
  const run = async (...args: A): Promise<void> => {
    if (busy.current) return; // A second click has no further effect.
    busy.current = true;
    setRunning(true);
    setError(undefined);
    try {
      await act(...args);
    } catch (failure) {
      setError(failure as Error);
    } finally {
      busy.current = false;
      setRunning(false);
    }
  };
  return { run, running, error, clear: () => setError(undefined) };
};

type AddressChange = Readonly<Record<string, string | undefined>>;

/** Notifies the other parts of a page when one part has changed the address. */
const MOVED = 'address-changed';

/** State in the address bar, so that a page can be reloaded, shared, and left with the back button. */
export const useAddress = (): [
  URLSearchParams,
  (changes: AddressChange, how?: 'push' | 'replace') => void,
] => {
  const [search, setSearch] = useState(location.search);
  useEffect(() => {
    const follow = (): void => setSearch(location.search);
    addEventListener('popstate', follow);
    addEventListener(MOVED, follow);
    return () => {
      removeEventListener('popstate', follow);
      removeEventListener(MOVED, follow);
    };
  }, []);
  const set = (changes: AddressChange, how: 'push' | 'replace' = 'replace'): void => {
    const params = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') params.delete(name);
      else params.set(name, value);
    }
    const text = params.toString();
    const next = text === '' ? '' : `?${text}`;
    if (next === location.search) return;
    const url = `${location.pathname}${next}`;
    if (how === 'push') history.pushState(null, '', url);
    else history.replaceState(null, '', url);
    // Before its effects have run, a component does not receive the event below, so this sets its own state.
    setSearch(next);
    dispatchEvent(new Event(MOVED));
  };
  return [new URLSearchParams(search), set];
};

/** The value, delayed until it has not changed for a moment. Requests use it while the person types. */
export const useSettled = <T>(value: T, key: string, wait = 250): T => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), wait);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
};
