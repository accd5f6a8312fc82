import type { FastifyRequest } from 'fastify';

import { outerOf } from '#platform/http/inner-calls';
import { RequestSlot } from '#platform/http/request-slot';

const granted = new RequestSlot<string>();

/** Makes the request act as an app's key. `hash` is the base64 hash of the key's secret, which nobody has. */
export const actAsKey = (request: FastifyRequest, hash: string): void => {
  granted.set(request, hash);
};

/** The hash of the secret of the key that the request acts as, by a token. An inner call acts as its outer request. */
export const grantedKeyOf = (request: FastifyRequest): string | undefined =>
  granted.get(outerOf(request) ?? request);
