import type { Micro } from '../kernel/money';

export type ProcessorName = 'sandbox' | 'stripe';

export interface CheckoutRequest {
  /** Ours. The processor hands it back with the payment. */
  readonly topUpId: string;
  readonly amount: Micro;
  readonly email: string;
}

export interface Checkout {
  /** The processor's own name for it; undefined where it has none. */
  readonly reference?: string;
  /** Where the person pays. */
  readonly url: string;
}

/** Takes money from people outside the chain. It never touches a balance: it only says what was paid. */
export abstract class PaymentProcessor {
  abstract readonly name: ProcessorName;

  /** Opens a checkout. Asked twice for one top-up, it answers the same one. */
  abstract open(request: CheckoutRequest): Promise<Checkout>;

  /** What an event says that the processor sends; undefined when it is about no checkout. Throws unless it has signed it. */
  read?(body: Buffer, signature: string | undefined): PaymentReport | undefined;
}

/** What a processor says became of a checkout. Nothing of it is believed before it is held against the top-up. */
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
