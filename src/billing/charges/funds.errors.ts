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

/** The member with the session, or the maker of the key, has spent the budget of this month. */
export class MemberBudgetSpent extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'MEMBER_BUDGET';

  constructor(what = 'This call would exceed the budget of its member for this month') {
    super(
      `${what}. Ask an owner or an admin of the organisation to raise it, or wait for the next month (UTC).`,
    );
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
