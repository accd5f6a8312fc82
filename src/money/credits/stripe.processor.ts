import StripeClient from 'stripe';

import { accountLinks } from '#people/accounts/account-links';
import { InvalidRequest } from '#kernel/app-error';
import { CheckoutUnavailable } from './credits.errors';
import {
  type CardReport,
  type Checkout,
  type CheckoutRequest,
  PaymentProcessor,
  type PaymentReport,
} from './payment-processor';
import { MICRO_PER_CENT, amountOf } from './stripe-amounts';
import { StripeCards, reportOf } from './stripe-cards';

/** Both secrets are read at each use, because they may change while the service runs. */
export interface StripeAccess {
  readonly secretKey?: string;
  readonly webhookSecret?: string;
  /** Undefined for Stripe's own API. */
  readonly apiUrl?: string;
}

const TIMEOUT_MS = 8_000;
const RETRIES = 1;
const STATUSES: Readonly<Record<string, 'completed' | 'failed'>> = {
  'checkout.session.completed': 'completed',
  'checkout.session.async_payment_succeeded': 'completed',
  'checkout.session.async_payment_failed': 'failed',
  'checkout.session.expired': 'failed',
};

const addressOf = (apiUrl: string | undefined) => {
  if (apiUrl === undefined) return {};
  const { hostname, port, protocol } = new URL(apiUrl);
  return {
    host: hostname,
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    protocol: protocol === 'https:' ? ('https' as const) : ('http' as const),
  };
};

/** Stripe Checkout. Only this file and `stripe-cards.ts` use Stripe's terms. */
export class StripeProcessor extends PaymentProcessor {
  readonly name = 'stripe';
  override readonly cards: StripeCards;
  private readonly stripe: StripeClient;

  constructor(
    private readonly access: StripeAccess,
    private readonly publicUrl: string,
  ) {
    super();
    this.stripe = new StripeClient(access.secretKey ?? '', {
      ...addressOf(access.apiUrl),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
    });
    this.cards = new StripeCards(this.stripe, publicUrl, () => ({ apiKey: access.secretKey }));
  }

  async open({ topUpId, amount, email }: CheckoutRequest): Promise<Checkout> {
    const { topUp } = accountLinks(this.publicUrl);
    try {
      const session = await this.stripe.checkout.sessions.create(
        {
          mode: 'payment',
          client_reference_id: topUpId,
          customer_email: email,
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: 'usd',
                unit_amount: Number(amount / MICRO_PER_CENT),
                product_data: { name: 'Lamppost credits' },
              },
            },
          ],
          // Refunds name the payment, not the checkout.
          payment_intent_data: { metadata: { topUpId } },
          success_url: `${topUp}?topUp=${topUpId}`,
          cancel_url: topUp,
        },
        { idempotencyKey: topUpId, apiKey: this.access.secretKey },
      );
      if (session.url === null) throw new Error(`Checkout session ${session.id} has no address.`);
      return { reference: session.id, url: session.url };
    } catch (error) {
      throw new CheckoutUnavailable(error);
    }
  }

  override read(body: Buffer, signature: string | undefined): PaymentReport | CardReport | undefined {
    const event = this.verified(body, signature);
    switch (event.type) {
      case 'charge.refunded':
        return this.refundIn(event, event.data.object);
      case 'payment_intent.succeeded':
      case 'payment_intent.payment_failed':
      case 'payment_intent.canceled':
        return reportOf(event.data.object, event.id, event.type);
      default:
        return this.checkoutIn(event);
    }
  }

  private checkoutIn(event: StripeClient.Event): PaymentReport | CardReport | undefined {
    const status = STATUSES[event.type];
    if (status === undefined) return undefined;
    const session = event.data.object as StripeClient.Checkout.Session;
    if (session.mode === 'setup') {
      const accountId = session.metadata?.['accountId'];
      return status === 'failed' || accountId === undefined
        ? undefined
        : { accountId, reference: session.id };
    }
    const { amount_total: cents, currency, client_reference_id: topUpId } = session;
    return {
      processor: this.name,
      eventId: event.id,
      kind: event.type,
      topUpId: typeof topUpId === 'string' ? topUpId : undefined,
      reference: session.id,
      status: status === 'failed' ? 'failed' : session.payment_status === 'paid' ? 'paid' : 'unpaid',
      amount: amountOf(cents),
      currency: typeof currency === 'string' ? currency.toLowerCase() : undefined,
    };
  }

  private refundIn(event: StripeClient.Event, charge: StripeClient.Charge): PaymentReport {
    const { amount_refunded: cents, currency, metadata } = charge;
    return {
      processor: this.name,
      eventId: event.id,
      kind: event.type,
      topUpId: metadata['topUpId'],
      reference: charge.id,
      status: 'refunded',
      amount: amountOf(cents),
      currency,
    };
  }

  private verified(body: Buffer, signature: string | undefined): StripeClient.Event {
    try {
      return this.stripe.webhooks.constructEvent(body, signature ?? '', this.access.webhookSecret ?? '');
    } catch (error) {
      throw new InvalidRequest('The signature of this event is missing, too old or wrong.', { cause: error });
    }
  }
}
