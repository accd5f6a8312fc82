import type { FastifyRequest } from 'fastify';

import type { PricedCall } from '../../catalog/priced-call';
import { type MaybePromise, whenReady } from '../../kernel/maybe-promise';
import { validateWhole } from '../../platform/http/routes/validation';
import type { PaidOptions } from './paid-call';
import type { PaidBody } from './paid-body';
import type { Pricer } from './pricer';

interface PricedBody {
  readonly body: PaidBody;
  readonly priced: PricedCall;
}

/** Validates a body as the route's body, and prices it. */
export const pricedBody = (
  { body: type }: PaidOptions,
  pricer: Pricer<PaidBody>,
  request: FastifyRequest,
  sent: unknown,
): MaybePromise<PricedBody> =>
  whenReady(validateWhole(type, sent), (body) =>
    whenReady(pricer.price(body, request), (priced) => ({ body, priced })),
  );
