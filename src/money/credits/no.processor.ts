import { CardsNotTaken } from './credits.errors';
import { type Checkout, PaymentProcessor } from './payment-processor';

/** For a service that is paid on chain only. It opens no checkout, so nobody gets credits for nothing. */
export class NoProcessor extends PaymentProcessor {
  readonly name = 'none';

  open(): Promise<Checkout> {
    return Promise.reject(new CardsNotTaken());
  }
}
