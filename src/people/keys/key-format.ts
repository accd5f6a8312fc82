import { createHmac, hash, randomBytes } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 64;
const SHOWN = 8;
const PREFIX = 'lp_';
const KEY = /^lp_[A-Za-z0-9]{64}$/;

/** Larger bytes are dropped, because using all 256 values would favour the first letters. */
const FAIR_BYTES = 256 - (256 % LETTERS.length);

const keyFrom = (someBytes: () => Buffer): string => {
  let letters = '';
  while (letters.length < LENGTH) {
    for (const byte of someBytes()) {
      if (byte < FAIR_BYTES && letters.length < LENGTH) letters += LETTERS[byte % LETTERS.length];
    }
  }
  return PREFIX + letters;
};

export const newKey = (): string => keyFrom(() => randomBytes(LENGTH));

/** The same idempotency key of the same owner gives the same key, so it can be shown again without being stored. */
export const derivedKey = (secret: Buffer, accountId: string, mark: string): string => {
  let round = 0;
  return keyFrom(() => createHmac('sha512', secret).update(`${round++}\n${accountId}\n${mark}`).digest());
};

export const isKey = (text: string): boolean => KEY.test(text);

/** A key has 380 random bits, so a fast hash of it can't be searched; only passwords need a slow hash. */
export const hashOfKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** The hash as a text, for caches, so that no key remains in memory as it was sent. */
export const hashNameOf = (key: string): string => hash('sha256', key, 'base64');

export const storedOf = (key: string): { readonly hash: Buffer; readonly prefix: string } => ({
  hash: hashOfKey(key),
  prefix: prefixOfKey(key),
});

/** The stored beginning of a key, to distinguish keys. It is far too short to guess the rest. */
export const prefixOfKey = (key: string): string => key.slice(0, PREFIX.length + SHOWN);
