import { createHmac, hash, randomBytes } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 64;
const SHOWN = 8;
const PREFIX = 'lp_';
const KEY = /^lp_[A-Za-z0-9]{64}$/;

/** Larger bytes are dropped: all 256 values would favour the first letters. */
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

/** The same result for the same idempotency key of the same owner, so it can be shown again without being stored. */
export const derivedKey = (secret: Buffer, accountId: string, mark: string): string => {
  let round = 0;
  return keyFrom(() => createHmac('sha512', secret).update(`${round++}\n${accountId}\n${mark}`).digest());
};

export const isKey = (text: string): boolean => KEY.test(text);

/** A key has 380 random bits, so a plain hash of it can't be searched; passwords need a slow one. */
export const hashOfKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** The same as a text, for caches: no key stays in memory as it was sent. */
export const hashNameOf = (key: string): string => hash('sha256', key, 'base64');

/** The stored fields of a key. */
export const storedOf = (key: string): { readonly hash: Buffer; readonly prefix: string } => ({
  hash: hashOfKey(key),
  prefix: prefixOfKey(key),
});

/** The stored beginning of a key, to distinguish keys: far too little to guess the rest. */
export const prefixOfKey = (key: string): string => key.slice(0, PREFIX.length + SHOWN);
