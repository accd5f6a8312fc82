import { hash } from 'node:crypto';

import { canonical } from '#kernel/canonical-json';
import type { LogEntryAnswer } from './transparency.dto';

/**
 * The canonical JSON (RFC 8785) of an entry. The code writes the fields in sorted order, because sorting them would
 * cost as much as a hash.
 */
export const textOf = ({
  amountMicro,
  at,
  balanceMicro,
  id,
  kind,
  owner,
  previous,
}: LogEntryAnswer): string => JSON.stringify({ amountMicro, at, balanceMicro, id, kind, owner, previous });

/** The bytes of a leaf: SHA-256 over the salt and the canonical JSON of the entry. */
export const commitmentOf = (salt: Uint8Array, text: string): Buffer =>
  hash('sha256', Buffer.concat([salt, Buffer.from(text)]), 'buffer');

/** The public salt of the first entry of a log that follows another log. */
export const NO_SALT = Buffer.alloc(32);

/** The first entry of a log that follows another log of the same service. */
export const restartText = (checkpoint: string): string => canonical({ kind: 'restart', checkpoint });
