import StripeClient from 'stripe';

import { accountLinks } from '#people/accounts/account-links';
import { CheckoutUnavailable } from './credits.errors';
import type {
  CardCharge,
  CardPage,
  CardPageRequest,
  CardsOnFile,
  PaymentReport,
  SavedCard,
} from './payment-processor';
import { MICRO_PER_CENT, amountOf } from './stripe-amounts';

/** Marks the payments of automatic top-ups. Payments of checkouts do not have it. */
const AUTOMATIC = 'true';

/** The report of a payment's present state. Undefined while it is open, or if it is not an automatic top-up. */
export const reportOf = (
  intent: StripeClient.PaymentIntent,
  eventId: string,
  kind: string,
): PaymentReport | undefined => {
  const { id, status, metadata, amount_received: cents, currency } = intent;
  if (metadata['automatic'] !== AUTOMATIC) return undefined;
  const about = { processor: 'stripe', eventId, kind, topUpId: metadata['topUpId'], reference: id } as const;
  switch (status) {
    case 'succeeded':
      return { ...about, status: 'paid', amount: amountOf(cents), currency };
    case 'requires_action':
    case 'requires_confirmation':
      return { ...about, status: 'failed', refusal: 'authentication_needed' };
    case 'requires_payment_method':
    case 'canceled':
      return { ...about, status: 'failed', refusal: refusalOf(intent.last_payment_error?.code) };
    default:
      return undefined; // Stripe still processes it, and sends an event later.
  }
};

const refusalOf = (code: string | undefined): 'authentication_needed' | 'declined' =>
  code === 'authentication_required' ? 'authentication_needed' : 'declined';

/** Cards that Stripe keeps, and charges to them without a person. */
export class StripeCards implements CardsOnFile {
  constructor(
    private readonly stripe: StripeClient,
    private readonly publicUrl: string,
    private readonly options: () => StripeClient.RequestOptions,
  ) {}

  async open({ accountId, email, customer: known }: CardPageRequest): Promise<CardPage> {
    const { topUp } = accountLinks(this.publicUrl);
    try {
      const customer =
        known ?? (await this.stripe.customers.create({ email, metadata: { accountId } }, this.options())).id;
      const session = await this.stripe.checkout.sessions.create(
        {
          mode: 'setup',
          customer,
          allowed_payment_method_types: ['card'],
          metadata: { accountId },
          success_url: `${topUp}?card=saved`,
          cancel_url: topUp,
        },
        this.options(),
      );
      if (session.url === null) throw new Error(`Checkout session ${session.id} has no address.`);
      return { customer, reference: session.id, url: session.url };
    } catch (error) {
      throw new CheckoutUnavailable(error);
    }
  }

  async saved(reference: string): Promise<SavedCard | undefined> {
    const expand = ['setup_intent.payment_method'];
    const { customer, setup_intent: setup } = await this.stripe.checkout.sessions.retrieve(
      reference,
      { expand },
      this.options(),
    );
    const method = typeof setup === 'string' ? undefined : setup?.payment_method;
    if (typeof customer !== 'string' || typeof method !== 'object' || method?.card === undefined)
      return undefined;
    const { brand, last4, exp_month: month, exp_year: year } = method.card;
    return {
      customer,
      paymentMethod: method.id,
      label: `${brand} ${last4}, expires ${String(month).padStart(2, '0')}/${year}`,
    };
  }

  async charge(request: CardCharge): Promise<PaymentReport | 'open' | 'none'> {
    const found = request.isRepeated ? await this.find(request) : undefined;
    if (found === undefined && !request.mayCreate) return 'none';
    try {
      return await this.endOf(found ?? (await this.create(request)));
    } catch (error) {
      return this.refusalIn(error, request.topUpId);
    }
  }

  async forget(paymentMethod: string): Promise<void> {
    await this.stripe.paymentMethods.detach(paymentMethod, {}, this.options());
  }

  /** The idempotency key turns equal calls of all processes into one payment. All values come from the top-up's row. */
  private create({
    topUpId,
    amount,
    customer,
    paymentMethod,
  }: CardCharge): Promise<StripeClient.PaymentIntent> {
    return this.stripe.paymentIntents.create(
      {
        amount: Number(amount / MICRO_PER_CENT),
        currency: 'usd',
        customer,
        payment_method: paymentMethod,
        allowed_payment_method_types: ['card'],
        off_session: true,
        confirm: true,
        description: 'Lamppost credits, automatic top-up',
        metadata: { topUpId, automatic: AUTOMATIC },
      },
      { ...this.options(), idempotencyKey: `automatic:${topUpId}` },
    );
  }

  /** Searches the payments themselves, because a stored answer to an idempotency key may be a temporary error. */
  private async find({
    topUpId,
    customer,
    since,
  }: CardCharge): Promise<StripeClient.PaymentIntent | undefined> {
    const created = { gte: Math.floor(since.getTime() / 1_000) - 3_600 };
    const list = this.stripe.paymentIntents.list({ customer, created, limit: 100 }, this.options());
    for await (const intent of list) {
      if (intent.metadata['topUpId'] === topUpId) return intent;
    }
    return undefined;
  }

  /** A failed payment is cancelled before it counts as failed, so that it can't succeed later. */
  private async endOf(intent: StripeClient.PaymentIntent): Promise<PaymentReport | 'open'> {
    const report = reportOf(intent, `answer:${intent.id}:${intent.status}`, 'answer');
    if (report?.status !== 'failed') return report ?? 'open';
    if (intent.status !== 'canceled') {
      try {
        await this.stripe.paymentIntents.cancel(intent.id, {}, this.options());
      } catch (error) {
        throw new Error('A failed payment could not be cancelled; the next run decides it.', {
          cause: error,
        });
      }
    }
    return report;
  }

  private async refusalIn(error: unknown, topUpId: string): Promise<PaymentReport | 'open'> {
    const { errors } = StripeClient;
    const about = { processor: 'stripe', kind: 'answer', topUpId, status: 'failed' } as const;
    if (error instanceof errors.StripeCardError) {
      const { payment_intent: intent, code } = error;
      const refusal = refusalOf(code);
      if (intent === undefined) return { ...about, eventId: `answer:${topUpId}:refused`, refusal };
      const end = await this.endOf(intent);
      return end === 'open' ? end : { ...end, refusal };
    }
    // The card or its customer is gone. Nothing was charged.
    if (error instanceof errors.StripeInvalidRequestError)
      return { ...about, eventId: `answer:${topUpId}:invalid`, refusal: 'card_gone' };
    throw error;
  }
}
