import { AppError } from '../../kernel/app-error';
import { type Micro, usdText } from '../../kernel/money';

/** The call has no credential. The answer explains how to get a credential on each rail. */
export class MissingCredentials extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'MISSING_CREDENTIALS';
}

export class PriceAboveMax extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'PRICE_ABOVE_MAX';

  constructor(price: Micro) {
    super(`This call costs ${price} micro-USD ($${usdText(price)}), which is above your maxPriceMicro.`, {
      param: 'maxPriceMicro',
    });
  }
}
