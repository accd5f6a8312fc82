import { useEffect, useState } from 'preact/hooks';

/** The prefix of all entries. The studio stores its work only in this browser, and the service stores none of it. */
const PREFIX = 'studio.';
const OFF = 'studio-forgets';
const LENGTH_MAX = 500_000;
const WRITTEN_AFTER_MS = 200;

export const isRemembering = (): boolean => localStorage.getItem(OFF) === null;

/** Deletes everything that the studio has stored in this browser, for every account. */
export const forgetAll = (): void => {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(PREFIX)) localStorage.removeItem(name);
  }
};

export const remember = (on: boolean): void => {
  if (on) localStorage.removeItem(OFF);
  else {
    localStorage.setItem(OFF, 'yes');
    forgetAll();
  }
};

const read = <T>(name: string, initial: T): T => {
  try {
    const kept = isRemembering() ? localStorage.getItem(PREFIX + name) : null;
    return kept === null ? initial : (JSON.parse(kept) as T);
  } catch {
    return initial;
  }
};

/**
 * State that outlasts a reload. `name` contains the account, because several people may use one browser. `slim` reduces
 * the value before it is stored.
 */
export const useRemembered = <T>(
  name: string,
  initial: T,
  slim: (value: T) => T = (value) => value,
): [T, (value: T) => void] => {
  const [value, setValue] = useState(() => read(name, initial));
  useEffect(() => {
    const write = (): void => {
      const text = JSON.stringify(slim(value));
      try {
        if (text.length <= LENGTH_MAX && isRemembering()) localStorage.setItem(PREFIX + name, text);
      } catch {
        // The browser's storage is full, and the page works without it.
      }
    };
    // A streaming answer changes with each frame, so the write waits for a pause.
    const timer = setTimeout(write, WRITTEN_AFTER_MS);
    addEventListener('pagehide', write);
    return () => {
      clearTimeout(timer);
      removeEventListener('pagehide', write);
    };
  }, [name, value]);
  return [value, setValue];
};
