import { type ErrorExtras, defineError } from '#kernel/app-error';
import { INSUFFICIENT_FUNDS } from '../../charges/funds.errors';
import { PAYMENT_UNAVAILABLE } from '#people/identity/identity.errors';
import { errorCode } from '#kernel/error-code';

/** There is no payment yet. The extras contain the requirements, in both versions of the protocol. */
export class PaymentRequired extends defineError(
  errorCode('PAYMENT_REQUIRED', 'payment_required', {
    means: 'The call is not paid yet. This answer contains the price; it is no failure.',
    remedy:
      'Sign the requirements in the header `PAYMENT-REQUIRED` and send the call again with `PAYMENT-SIGNATURE`; stock x402 clients do so. Or send a key, or a wallet’s sign-in.',
  }),
) {}

/** The payment can't be accepted. The extras contain fresh requirements. */
export class InvalidPayment extends defineError(
  errorCode('INVALID_PAYMENT', 'payment_required', {
    means:
      'The payment can’t be accepted: another amount, already spent, expired, or for another call. It was not used.',
    remedy: 'The header has fresh requirements. Sign those.',
  }),
) {}

export class FundsShort extends defineError(INSUFFICIENT_FUNDS) {}

/** The service can't check payments now. It has claimed nothing, so the caller may send the same signature again. */
export const PaymentUnavailable = defineError(PAYMENT_UNAVAILABLE, (extras: ErrorExtras = {}) => ({
  message: 'Payments cannot be checked at the moment. Nothing was taken: send the very same call again.',
  retryAfterSeconds: 5,
  ...extras,
}));
