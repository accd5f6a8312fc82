import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { InvalidRequest } from '#kernel/app-error';
import { fingerprintOf } from '../body/body-bytes';

export const IDEMPOTENCY_KEY_CHARS_MAX = 200;
const CHARS_MIN = 8;

const KEY = new RegExp(`^[\\x20-\\x7e]{${CHARS_MIN},${IDEMPOTENCY_KEY_CHARS_MAX}}$`);
const SCHEMA = { type: 'string', minLength: CHARS_MIN, maxLength: IDEMPOTENCY_KEY_CHARS_MAX } as const;
const FAULT = `Idempotency-Key must be ${CHARS_MIN} to ${IDEMPOTENCY_KEY_CHARS_MAX} printable characters.`;

/** The caller's idempotency key, if the call has one. */
export const idempotencyKeyOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined => {
  const header = headers['idempotency-key'];
  if (header === undefined) {
    return undefined;
  }
  const value = String(header);
  if (!KEY.test(value)) {
    throw new InvalidRequest(FAULT, { param: 'Idempotency-Key' });
  }
  return value;
};

/** A call with an idempotency key. Its caller can repeat it safely. */
export interface IdempotentCall {
  readonly mark: string;
  readonly fingerprint: Buffer;
}

export const idempotentCallOf = (request: FastifyRequest): IdempotentCall | undefined => {
  const mark = idempotencyKeyOf(request);
  return mark === undefined ? undefined : { mark, fingerprint: fingerprintOf(request) };
};

/** Documents the header and its use on a route. */
export const ApiIdempotencyKey = (description: string): MethodDecorator =>
  ApiHeader({ name: 'Idempotency-Key', required: false, description, schema: { ...SCHEMA } });

/** The header of a repeated answer. */
export const REPLAYED_HEADER = {
  'Idempotent-Replayed': {
    description: 'The answer is that of an earlier, equal call; nothing was charged or made for this one.',
    schema: { type: 'string', enum: ['true'] } as object,
  },
} as const;
