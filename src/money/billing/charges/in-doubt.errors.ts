import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';
import { SubmissionInDoubt, WorkGivenUp } from '#models/providers/providers.errors';

/** The outcome of a payment or of the work is unknown. The answer is never a 402, because a client would pay again. */
export class SettlementPending extends defineError(
  errorCode('SETTLEMENT_PENDING', 'unavailable', {
    means: 'The outcome of the payment, or of the work, is still unknown.',
    remedy:
      'Send the very same call again after `Retry-After`: it is never charged twice. `X-Charge-Id` leads to the receipt. **Never pay again.**',
  }),
  (chargeId: string, cause?: unknown) => ({
    message: 'The payment is being settled. Send the very same call again: it will not be charged twice.',
    retryAfterSeconds: 5,
    headers: { 'x-charge-id': chargeId },
    cause,
  }),
) {}

/**
 * The provider may or may not have accepted the work. The service refunds nothing until it knows the outcome. The
 * caller gets the answer of `SubmissionInDoubt`.
 */
export class WorkInDoubt extends SubmissionInDoubt {}

/**
 * The caller of a by-use call disconnected after the service had asked a provider. The service charges the use so far.
 */
export class CallerLeft extends WorkGivenUp {}
