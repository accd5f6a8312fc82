import { AppError, type ErrorExtras } from '../../kernel/app-error';
import { type Micro, usdText } from '../../kernel/money';

export class InsufficientFunds extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INSUFFICIENT_FUNDS';

  constructor(
    price: Micro,
    balance: Micro,
    extras: ErrorExtras,
    message = `The balance is $${usdText(balance)} and this call costs $${usdText(price)}. Top up, then send it again.`,
  ) {
    super(message, extras);
  }
}

export class KeySpendLimit extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'KEY_SPEND_LIMIT';

  constructor(
    manageKeys: string,
    message = 'This call would exceed the limit of the key, or of one above it. Raise the limit, or use another key.',
  ) {
    super(message, { links: { manageKeys } });
  }
}
