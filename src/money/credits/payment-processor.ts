import type { Micro } from '#kernel/money';

export type ProcessorName = 'sandbox' | 'stripe';

export interface CheckoutRequest {
  /** Our id. The processor returns it with the payment. */
  readonly topUpId: string;
  readonly amount: Micro;
  readonly email: string;
}

export interface Checkout {
  /** The processor's own name for the checkout; undefined if it has none. */
  readonly reference?: string;
  /** The page for paying. */
  readonly url: string;
}

/** A page on which a person saves a card. */
export interface CardPageRequest {
  readonly accountId: string;
  readonly email: string;
  /** The processor's name of the payer, once it is known. */
  readonly customer?: string;
}

export interface CardPage extends Checkout {
  readonly customer: string;
  readonly reference: string;
}

/** The report that a person completed such a page. */
export interface CardReport {
  readonly accountId: string;
  readonly reference: string;
}

export interface SavedCard {
  readonly customer: string;
  readonly paymentMethod: string;
  /** The card's brand, last digits and expiry, for people. */
  readonly label: string;
}

/** A charge without a person. All values come from the top-up's row, so a repeated charge is identical. */
export interface CardCharge {
  readonly topUpId: string;
  readonly amount: Micro;
  readonly customer: string;
  readonly paymentMethod: string;
  readonly since: Date;
  /** Whether an earlier process may have sent it. */
  readonly isRepeated: boolean;
  /** Whether it may be sent now. Otherwise the processor is only asked about it. */
  readonly mayCreate: boolean;
}

/** Cards that the processor keeps for later payments. */
export interface CardsOnFile {
  open(request: CardPageRequest): Promise<CardPage>;
  /** Undefined if nobody saved a card on the page. */
  saved(reference: string): Promise<SavedCard | undefined>;
  /**
   * Returns `open` while the result is unknown, and `none` if the processor has no such payment. Throws if the
   * processor gave no clear answer.
   */
  charge(request: CardCharge): Promise<PaymentReport | 'open' | 'none'>;
  forget(paymentMethod: string): Promise<void>;
}

/** The reason why a card was not charged. */
type CardRefusal = 'declined' | 'authentication_needed' | 'card_gone';

/** Takes payments outside the chain. It never changes a balance: it only reports payments. */
export abstract class PaymentProcessor {
  abstract readonly name: ProcessorName | 'none';
  /** Absent if it keeps no cards. */
  readonly cards?: CardsOnFile;
  /** The cards of the time when the service took cards. Their open charges are decided, but no card is charged. */
  readonly earlierCards?: CardsOnFile;

  /** Opens a checkout. A second call for one top-up returns the same one. */
  abstract open(request: CheckoutRequest): Promise<Checkout>;

  /**
   * Returns the content of a processor's event, or undefined if it is not about a checkout. Throws unless the processor
   * has signed it.
   */
  read?(body: Buffer, signature: string | undefined): PaymentReport | CardReport | undefined;
}

/** A processor's report about a checkout. It is compared with the top-up before it counts. */
export interface PaymentReport {
  readonly processor: ProcessorName;
  readonly eventId: string;
  readonly kind: string;
  readonly topUpId?: string;
  readonly reference?: string;
  readonly status: 'paid' | 'unpaid' | 'failed' | 'refunded';
  /** The paid amount; for a refund, the sum of all refunds of the payment. */
  readonly amount?: Micro;
  readonly currency?: string;
  /** Set for a failed charge of a saved card. */
  readonly refusal?: CardRefusal;
}
