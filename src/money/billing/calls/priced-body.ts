import type { FastifyRequest } from 'fastify';

import type { PricedCall } from '#models/catalog/priced-call';
import { validateWhole } from '#platform/http/routes/validation';
import { requireModelField } from './model-field';
import type { PaidOptions } from './paid-call';
import type { PaidBody } from './paid-body';
import type { Pricer } from './pricer';

interface PricedBody {
  readonly body: PaidBody;
  readonly priced: PricedCall;
}

/** Validates a body as the route's body, and prices it. */
export const pricedBody = async (
  { body: type }: PaidOptions,
  pricer: Pricer<PaidBody>,
  request: FastifyRequest,
  sent: unknown,
): Promise<PricedBody> => {
  requireModelField(type, sent, request.query as object);
  const body = await validateWhole(type, sent);
  return { body, priced: await pricer.price(body, request) };
};
