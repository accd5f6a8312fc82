import { type Checkout, type CheckoutRequest, PaymentProcessor } from './payment-processor';

/** Pays with a button on our own page, so that the whole process works without a bank. */
export class SandboxProcessor extends PaymentProcessor {
  readonly name = 'sandbox';

  constructor(private readonly publicUrl: string) {
    super();
  }

  open({ topUpId }: CheckoutRequest): Promise<Checkout> {
    return Promise.resolve({ url: `${this.publicUrl}/checkout/sandbox/${topUpId}` });
  }
}
