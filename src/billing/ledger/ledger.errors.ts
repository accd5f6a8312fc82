import { AppError } from '../../kernel/app-error';
import { type Micro, usdText } from '../../kernel/money';

/** The account can't cover the debit of a module. The service has written nothing. */
export class BalanceTooLow extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INSUFFICIENT_FUNDS';

  constructor(amount: Micro) {
    super(`The balance does not cover $${usdText(amount)}. Top up, then send it again.`);
  }
}

/** A bug of the module, because one mark names one debit. */
export class DebitKeyTaken extends Error {
  constructor(mark: string) {
    super(`The mark ${mark} belongs to a debit of another account or amount.`);
    this.name = new.target.name;
  }
}
