import type { FastifyReply } from 'fastify';

import { type Micro, usdText } from '#kernel/money';
import { CHARGE_STATES, type ChargeState } from '../charges/charge.entity';
import { REPLAYED_HEADER } from '#platform/http/routes/idempotency-key';

const text = (description: string, more: object = {}): object => ({
  description,
  schema: { type: 'string', ...more },
});
const whole = (description: string): object => ({ description, schema: { type: 'integer', minimum: 0 } });

/** The documentation of the charge headers on every answer of a paid route. */
export const CHARGE_HEADERS = {
  'X-Charge-State': text('The state of the charge.', {
    enum: ['none', ...CHARGE_STATES],
  }),
  'X-Charge-Id': text('GET /v1/agent/charges/{id} shows it.'),
  'X-Charge-Micro': whole('The cost of the call, in micro-USD.'),
  'X-Balance-Micro': whole('The remaining prepaid balance, in micro-USD.'),
  'X-Balance-Remaining': text('The same in USD.'),
  'PAYMENT-RESPONSE': text('x402: the settlement, base64 JSON.'),
  'Payment-Receipt': text('MPP: the same for a call that a `Payment` credential has paid, base64url JSON.'),
  'X-PAYMENT-RESPONSE': text('The same for clients of the first version.'),
} as const;

/** Headers of a 402 that x402 can pay. */
export const CHALLENGE_HEADERS = {
  ...CHARGE_HEADERS,
  'PAYMENT-REQUIRED': text('The payment requirements of x402 v2, as base64 JSON.'),
  'WWW-Authenticate': text(
    'MPP: the first offer as a challenge `Payment` with the method `evm`, intent `charge`.',
  ),
} as const;

/** Headers of a successful answer. */
export const ANSWER_HEADERS = { ...CHARGE_HEADERS, ...REPLAYED_HEADER } as const;

/** Shows the remaining money of a payer, on rails where we hold it. */
export const showBalance = (reply: FastifyReply, balance: Micro | undefined): void => {
  if (balance === undefined) return;
  void reply.header('x-balance-micro', balance.toString()).header('x-balance-remaining', usdText(balance));
};

/** Shows the state of a charge. A released one costs nothing. */
export const showState = (reply: FastifyReply, state: ChargeState): void => {
  void reply.header('x-charge-state', state);
  if (state === 'released') void reply.header('x-charge-micro', '0');
};
