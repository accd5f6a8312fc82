import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { Misused } from './options.ts';

/** The keys of this machine, by the origin of their service. A key is sent to no other service. */
type StoredKeys = Readonly<Record<string, string>>;

export const keyFile = (): string =>
  join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'lamppost', 'keys.json');

const read = (): StoredKeys => {
  try {
    return JSON.parse(readFileSync(keyFile(), 'utf8')) as StoredKeys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Misused(`${keyFile()} cannot be read: ${(error as Error).message}`);
  }
};

/** Writes the whole file or nothing. Only its owner can read it. */
const write = (keys: StoredKeys): void => {
  const file = keyFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, file);
};

const originOf = (baseUrl: string): string => new URL(baseUrl).origin;

export const storedKey = (baseUrl: string): string | undefined => {
  const keys = read();
  const origin = originOf(baseUrl);
  return Object.hasOwn(keys, origin) ? keys[origin] : undefined;
};

/** Stores a key, or forgets it if there is none. */
export const storeKey = (baseUrl: string, key: string | undefined): void => {
  const { [originOf(baseUrl)]: _, ...others } = read();
  write(key === undefined ? others : { ...others, [originOf(baseUrl)]: key });
};
