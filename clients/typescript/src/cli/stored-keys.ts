import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { Misused } from './options.ts';

/** The keys of this machine, by the origin of their service. A key is sent to no other service. */
type StoredKeys = Readonly<Record<string, string>>;

export const keyFile = (): string =>
  join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'lamppost', 'keys.json');

const read = (): StoredKeys => {
  let text: string;
  try {
    text = readFileSync(keyFile(), 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new Misused(`${keyFile()} cannot be read: ${message}`, { cause: error });
  }
  try {
    return { ...(JSON.parse(text) as StoredKeys) };
  } catch {
    // The message of the parser contains parts of the file, which may be keys.
    throw new Misused(`${keyFile()} cannot be read: it is no valid JSON.`);
  }
};

/** Writes the whole file or nothing. Only its owner can read it. */
const write = (keys: StoredKeys): void => {
  const file = keyFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${crypto.randomUUID()}`;
  writeFileSync(next, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(next, file);
};

const originOf = (baseUrl: string): string => new URL(baseUrl).origin;

export const storedKey = (baseUrl: string): string | undefined => {
  const keys = read();
  const origin = originOf(baseUrl);
  return Object.hasOwn(keys, origin) ? keys[origin] : undefined;
};

/** The same for commands that also work without a stored key, such as those of another user. */
export const readableKey = (baseUrl: string): string | undefined => {
  try {
    return storedKey(baseUrl);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
};

/** Stores a key, or forgets it if there is none. */
export const storeKey = (baseUrl: string, key: string | undefined): void => {
  const { [originOf(baseUrl)]: _, ...others } = read();
  write(key === undefined ? others : { ...others, [originOf(baseUrl)]: key });
};
