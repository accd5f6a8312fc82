import { createHash, hash } from 'node:crypto';

import type { FastifyRequest } from 'fastify';
import { RequestSlot } from '../request-slot';

const EMPTY = Buffer.alloc(0);

interface Body {
  /** Undefined for a large body: only its fingerprint is kept. */
  readonly bytes?: Buffer;
  readonly fingerprint?: Buffer;
  /** Whether all parts of the body were kept. */
  readonly isWhole: boolean;
}

const bodies = new RequestSlot<Body>();

/** Keeps a small body's bytes until its request ends, because signatures and fingerprints cover bytes. */
export const rememberBody = (request: FastifyRequest, bytes: Buffer): void => {
  bodies.set(request, { bytes, isWhole: isWhole(request) });
};

/** Keeps only the hash of a large body. */
export const rememberLargeBody = (request: FastifyRequest, fingerprint: Buffer): void => {
  bodies.set(request, { fingerprint, isWhole: isWhole(request) });
};

/** Must be called after a part of the body was dropped. The service can then price the call, but never run it. */
export const rememberAsPart = (request: FastifyRequest): void => {
  bodies.set(request, { ...bodies.get(request), isWhole: false });
};

export const isWhole = (request: FastifyRequest): boolean => bodies.get(request)?.isWhole ?? true;

export const bodyBytes = (request: FastifyRequest): Buffer => bodies.get(request)?.bytes ?? EMPTY;

/** Whether a call is empty: no body, or `{}`. */
export const isEmptyBody = (request: FastifyRequest): boolean => {
  const body = bodies.get(request);
  if (body?.fingerprint !== undefined) return false;
  const bytes = body?.bytes ?? EMPTY;
  return bytes.length <= 2 && /^(\{\})?$/.test(bytes.toString('utf8').trim());
};

/** An empty query counts as none. */
const addressIn = (url: string): string => (url.endsWith('?') ? url.replace(/^([^?]*)\?+$/, '$1') : url);

/** The beginning of the text that a fingerprint hashes; the bytes of the body follow. */
const beginningOf = ({ method, url }: FastifyRequest): string => `${method}\n${addressIn(url)}\n`;

/** Begins the hash of a body that is not complete yet. */
export const beginFingerprint = (request: FastifyRequest): ReturnType<typeof createHash> =>
  createHash('sha256').update(beginningOf(request));

/** The identity of a call: method, path, query and body. An absent body and `{}` count as equal. */
export const fingerprintOf = (request: FastifyRequest): Buffer => {
  const body = bodies.get(request);
  if (body?.fingerprint !== undefined) return body.fingerprint;
  const bytes = body?.bytes ?? EMPTY;
  const beginning = Buffer.from(beginningOf(request) + (bytes.length === 0 ? '{}' : ''));
  return hash('sha256', Buffer.concat([beginning, bytes]), 'buffer');
};
