import { defineError } from '#kernel/app-error';
import { INSUFFICIENT_FUNDS } from '../charges/funds.errors';
import { type Micro, usdText } from '#kernel/money';

/** The account can't cover the debit of a module. The service has written nothing. */
export const BalanceTooLow = defineError(
  INSUFFICIENT_FUNDS,
  (amount: Micro) => `The balance does not cover $${usdText(amount)}. Top up, then send it again.`,
);

/** A bug of the module, because one mark names one debit. */
export class DebitKeyTaken extends Error {
  constructor(mark: string) {
    super(`The mark ${mark} belongs to a debit of another account or amount.`);
    this.name = new.target.name;
  }
}
