import { createHash } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

const EMPTY = Buffer.alloc(0);
const bodies = new WeakMap<FastifyRequest, Buffer>();

/** Keeps a body's bytes for as long as its request lives: signatures and "the same call" are about bytes. */
export const rememberBody = (request: FastifyRequest, bytes: Buffer): void => {
  bodies.set(request, bytes);
};

export const bodyBytes = (request: FastifyRequest): Buffer => bodies.get(request) ?? EMPTY;

/** What makes two calls the same call: method, path, query and body. An absent body and `{}` are one. */
export const fingerprintOf = (request: FastifyRequest): Buffer => {
  const bytes = bodyBytes(request);
  const [path = '', ...query] = request.url.split('?');
  const address = query.some((part) => part !== '') ? request.url : path;
  return createHash('sha256')
    .update(`${request.method}\n${address}\n`)
    .update(bytes.length === 0 ? '{}' : bytes)
    .digest();
};
