import type { Micro } from '../kernel/money';

export type ProcessorName = 'sandbox' | 'stripe';

export interface CheckoutRequest {
  /** Our id. The processor returns it with the payment. */
  readonly topUpId: string;
  readonly amount: Micro;
  readonly email: string;
}

export interface Checkout {
  /** The processor's own name for it; undefined if it has none. */
  readonly reference?: string;
  /** The page for paying. */
  readonly url: string;
}

/** Takes payments outside the chain. It never changes a balance: it only reports payments. */
export abstract class PaymentProcessor {
  abstract readonly name: ProcessorName;

  /** Opens a checkout. A second call for one top-up returns the same one. */
  abstract open(request: CheckoutRequest): Promise<Checkout>;

  /**
   * The content of a processor's event; undefined if it is not about a checkout. Throws unless the processor has signed
   * it.
   */
  read?(body: Buffer, signature: string | undefined): PaymentReport | undefined;
}

/** A processor's report about a checkout. It is compared with the top-up before it counts. */
export interface PaymentReport {
  readonly processor: ProcessorName;
  readonly eventId: string;
  readonly kind: string;
  readonly topUpId?: string;
  readonly reference?: string;
  readonly status: 'paid' | 'unpaid' | 'failed';
  readonly amount?: Micro;
  readonly currency?: string;
}
