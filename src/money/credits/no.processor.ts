import { CardsNotTaken } from './credits.errors';
import { type Checkout, PaymentProcessor } from './payment-processor';

/** For a service that is paid on chain only. It opens no checkout, so nobody gets credits for nothing. */
export class NoProcessor extends PaymentProcessor {
  readonly name = 'none';
  override readonly read?: PaymentProcessor['read'];
  override readonly earlierCards?: PaymentProcessor['cards'];

  /** `before` reports payments that began when the service took cards. */
  constructor(before?: PaymentProcessor) {
    super();
    this.read = before?.read?.bind(before);
    this.earlierCards = before?.cards;
  }

  open(): Promise<Checkout> {
    return Promise.reject(new CardsNotTaken());
  }
}
