import { randomBytes } from 'node:crypto';

/**
 * An id that is a permission: 128 random bits. The time in front keeps new rows together in an index, so that
 * inserting stays as fast at ten million rows as at ten thousand.
 */
export const newId = (prefix: string): string =>
  `${prefix}_${Date.now().toString(36).padStart(9, '0')}${randomBytes(16).toString('base64url')}`;
