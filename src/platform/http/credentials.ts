import type { FastifyRequest } from 'fastify';

/** Header names that carry a credential of any rail; a paid call without any of them is a challenge. */
const CREDENTIAL_HEADERS = [
  'payment-signature',
  'x-payment',
  'x-402-payment',
  'x-api-key',
  'authorization',
  'sign-in-with-x',
  'x-sign-in-with-x',
  'cookie',
] as const;

/** Whether a request carries a credential, good or bad. */
export const carriesCredential = ({ headers }: FastifyRequest): boolean =>
  CREDENTIAL_HEADERS.some((name) => headers[name] !== undefined);
