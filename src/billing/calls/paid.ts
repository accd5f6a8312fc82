import { HttpCode, UseGuards, UseInterceptors, applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtension, ApiHeader, ApiResponse, ApiSecurity } from '@nestjs/swagger';

import { HttpRoute } from '../../platform/http/route';
import { ApiFailures } from '../../platform/openapi/docs';
import { RAIL_GUARDS } from '../rails';
import { ChargeInterceptor } from './charge.interceptor';
import type { PaidBody } from './paid-body';
import type { PaidOptions } from './paid-call';
import { PaidRoute } from './paid-route';
import { PayerGuard } from './payer.guard';
import { QuoteGuard } from './quote.guard';

interface Published {
  /** The price range that the document shows, in USD. */
  readonly min: string;
  readonly max: string;
  /** The largest body, refused before it is read. */
  readonly bodyBytesMax: number;
  readonly generates: boolean;
  readonly form?: boolean;
}

/** What the document says of the headers of a paid answer. */
export const CHARGE_HEADERS = {
  'X-Charge-State': {
    description: 'none, held, settling, charged, refunded or released.',
    schema: { type: 'string' },
  },
  'X-Charge-Id': { description: 'GET /v1/agent/charges/{id} shows it.', schema: { type: 'string' } },
  'X-Charge-Micro': { description: 'What the call cost, in micro-USD.', schema: { type: 'integer' } },
  'PAYMENT-RESPONSE': { description: 'x402: the settlement, base64 JSON.', schema: { type: 'string' } },
} as const;

/** Marks a route as pay-per-call: priced, claimed by one rail, held, then settled or released. */
export const Paid = <Body extends PaidBody>(
  options: PaidOptions<Body>,
  published: Published,
): MethodDecorator => {
  const keyed = options.rails === undefined;
  const { min, max, bodyBytesMax, generates, form = false } = published;
  return applyDecorators(
    HttpCode(200),
    PaidRoute(options as unknown as PaidOptions),
    HttpRoute({ limit: 'challenge', paid: true, bodyBytesMax, generates, form }),
    UseGuards(QuoteGuard, ...RAIL_GUARDS, PayerGuard),
    UseInterceptors(ChargeInterceptor),
    ApiBody({ type: options.body }),
    ...(keyed ? [ApiSecurity('apiKey'), ApiSecurity('bearerKey'), ApiSecurity('walletSignIn')] : []),
    ApiSecurity('x402'),
    ApiExtension('x-payment-info', {
      price: { mode: 'dynamic', currency: 'USD', min, max },
      protocols: [{ x402: {} }],
    }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'A mark of yours: the same mark gets the first answer again and is charged once.',
      schema: { type: 'string', minLength: 8, maxLength: 200 },
    }),
    ApiHeader({
      name: 'X-Max-Price-Micro',
      required: false,
      description: 'Refuse the call when it would cost more.',
      schema: { type: 'integer', minimum: 0 },
    }),
    ApiResponse({
      status: 402,
      description: 'Payment required: the header carries what to pay, the body says it for older clients.',
      headers: { 'PAYMENT-REQUIRED': { description: 'x402 v2, base64 JSON.', schema: { type: 'string' } } },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorAnswer' } } },
    }),
    ApiFailures(400, 401, 409, 413, 415, 422, 429, 451, 502, 503),
  );
};
