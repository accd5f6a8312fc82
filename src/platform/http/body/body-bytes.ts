import { createHash, hash } from 'node:crypto';

import type { FastifyRequest } from 'fastify';
import { RequestSlot } from '../request-slot';

const EMPTY = Buffer.alloc(0);

interface Body {
  /** Undefined of a large one, of which only the fingerprint is kept. */
  readonly bytes?: Buffer;
  readonly fingerprint?: Buffer;
  /** Whether its parts are all there, as they came. */
  readonly isWhole: boolean;
}

const bodies = new RequestSlot<Body>();

/** Keeps a small body's bytes for as long as its request lives: signatures and "the same call" are about bytes. */
export const rememberBody = (request: FastifyRequest, bytes: Buffer): void => {
  bodies.set(request, { bytes, isWhole: isWhole(request) });
};

/** Of a large body only the hash is kept. */
export const rememberLargeBody = (request: FastifyRequest, fingerprint: Buffer): void => {
  bodies.set(request, { fingerprint, isWhole: isWhole(request) });
};

/** Something of the body was left out when it came in: it is good for a price, and for nothing else. */
export const rememberAsPart = (request: FastifyRequest): void => {
  bodies.set(request, { ...bodies.get(request), isWhole: false });
};

export const isWhole = (request: FastifyRequest): boolean => bodies.get(request)?.isWhole ?? true;

export const bodyBytes = (request: FastifyRequest): Buffer => bodies.get(request)?.bytes ?? EMPTY;

/** Whether a call says nothing at all: no body, or `{}`. */
export const isEmptyBody = (request: FastifyRequest): boolean => {
  const body = bodies.get(request);
  if (body?.fingerprint !== undefined) return false;
  const bytes = body?.bytes ?? EMPTY;
  return bytes.length <= 2 && /^(\{\})?$/.test(bytes.toString('utf8').trim());
};

/** Nothing behind a `?` is no query. */
const addressIn = (url: string): string => (url.endsWith('?') ? url.replace(/^([^?]*)\?+$/, '$1') : url);

/** What a fingerprint begins with; the body's bytes come next. */
const askedOf = ({ method, url }: FastifyRequest): string => `${method}\n${addressIn(url)}\n`;

/** The beginning of a fingerprint, of a body that is not all here yet. */
export const beginFingerprint = (request: FastifyRequest): ReturnType<typeof createHash> =>
  createHash('sha256').update(askedOf(request));

/** What makes two calls the same call: method, path, query and body. An absent body and `{}` are one. */
export const fingerprintOf = (request: FastifyRequest): Buffer => {
  const body = bodies.get(request);
  if (body?.fingerprint !== undefined) return body.fingerprint;
  const bytes = body?.bytes ?? EMPTY;
  const asked = Buffer.from(askedOf(request) + (bytes.length === 0 ? '{}' : ''));
  return hash('sha256', Buffer.concat([asked, bytes]), 'buffer');
};
