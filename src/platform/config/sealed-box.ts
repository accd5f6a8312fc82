import { createCipheriv, createDecipheriv } from 'node:crypto';

import { randomBytes } from '#kernel/random';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts data for storage in a table: a nonce, the tag, and the text in AES-256-GCM. */
export const sealBox = (key: Buffer, text: string): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = cipher.update(text, 'utf8');
  cipher.final(); // In this mode `final` returns no text; it only computes the tag.
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
};

/** Decrypts the data. It throws if none of these keys encrypted it, or if somebody changed it. */
export const openBox = ([key, ...others]: readonly [Buffer, ...Buffer[]], sealed: Buffer): string => {
  try {
    return opened(key, sealed);
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined) throw error;
    return openBox([next, ...rest], sealed);
  }
};

/** Encrypts the data again with the first key. Undefined if that key encrypted it. */
export const resealed = (keys: readonly [Buffer, ...Buffer[]], sealed: Buffer): Buffer | undefined => {
  try {
    opened(keys[0], sealed);
    return undefined;
  } catch {
    return sealBox(keys[0], openBox(keys, sealed));
  }
};

const opened = (key: Buffer, sealed: Buffer): string => {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const body = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([body, decipher.final()]).toString('utf8');
};
