import { randomBytes } from './random';

/**
 * An id that serves as a permission: 128 random bits. It begins with the time, so new rows are close together in an
 * index. Inserts then stay as fast with ten million rows as with ten thousand.
 */
export const newId = (prefix: string): string =>
  `${firstIdAt(prefix, Date.now())}${randomBytes(16).toString('base64url')}`;

/** The lowest id of a time, for reading a range of time by the primary key. */
export const firstIdAt = (prefix: string, time: number): string =>
  `${prefix}_${time.toString(36).padStart(9, '0')}`;

/** The time at which an id was made, by the maker's clock. */
export const timeOfId = (id: string): number => Number.parseInt(id.split('_')[1]?.slice(0, 9) ?? '', 36);
