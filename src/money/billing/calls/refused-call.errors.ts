import { defineError } from '#kernel/app-error';
import { MISSING_CREDENTIALS } from '#people/accounts/accounts.errors';
import { errorCode } from '#kernel/error-code';
import { type Micro, usdText } from '#kernel/money';

/** The call has no credential. The answer explains how to get a credential on each rail. */
export class MissingCredentials extends defineError(MISSING_CREDENTIALS) {}

export const PriceAboveMax = defineError(
  errorCode('PRICE_ABOVE_MAX', 'invalid_request', {
    means: 'The call costs more than the `maxPriceMicro` that you sent with it. Nothing was held.',
    remedy:
      'The message names the price. Raise the cap, or ask for less: fewer seconds, a lower resolution, a smaller `max_tokens`.',
  }),
  (price: Micro) =>
    `This call costs ${price} micro-USD ($${usdText(price)}), which is above your maxPriceMicro.`,
  { param: 'maxPriceMicro' },
);
