import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import StripeClient from 'stripe';

import { LoopbackServer, type Received } from './loopback-server';
import type { Answer, World } from './world';

export interface FakeSession {
  readonly id: string;
  readonly url: string;
  readonly fields: URLSearchParams;
}

export interface FakeIntent {
  readonly id: string;
  readonly object: 'payment_intent';
  status: string;
  readonly customer: string;
  amount_received: number;
  readonly currency: string;
  readonly metadata: Readonly<Record<'topUpId' | 'automatic', string>>;
  readonly last_payment_error?: { readonly code: string };
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

/** The part of Stripe that we use: it opens checkouts, saves and charges cards, and signs its events. */
export class FakeStripe extends LoopbackServer {
  readonly secretKey = 'sk_test_a_secret_of_this_test';
  readonly webhookSecret = 'whsec_a_secret_of_this_test';
  readonly sessions = new Map<string, FakeSession>();
  /** All calls that arrived, including refused ones. */
  calls = 0;
  /** The bank's answer to a charge of a saved card. */
  card: 'good' | 'slow' | 'card_declined' | 'authentication_required' = 'good';
  readonly intents: FakeIntent[] = [];
  readonly detached: string[] = [];
  /** The number of next changes whose answer is lost after the work was done. */
  drops = 0;
  private failures: number[] = [];
  private readonly answers = new Map<string, { readonly sent: string; readonly answer: [number, object] }>();
  private readonly signer = new StripeClient(this.secretKey);

  /** The settings of a service that uses it. */
  get env(): Readonly<Record<string, string>> {
    return {
      BILLING_PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: this.secretKey,
      STRIPE_WEBHOOK_SECRET: this.webhookSecret,
      STRIPE_API_URL: this.origin,
    };
  }

  /** The next calls are answered with these statuses. */
  failNext(...statuses: number[]): void {
    this.failures = statuses;
  }

  sessionFor(topUpId: string): FakeSession {
    const session = [...this.sessions.values()].find(
      ({ fields }) => fields.get('client_reference_id') === topUpId,
    );
    if (session === undefined) throw new Error(`No checkout was opened for ${topUpId}.`);
    return session;
  }

  /** The event of Stripe when a person has paid this checkout, with the changes of a test. */
  completed(topUpId: string, changes: Readonly<Record<string, unknown>> = {}, type = 'completed'): Event {
    const { id, fields } = this.sessionFor(topUpId);
    return {
      id: `evt_${randomBytes(12).toString('hex')}`,
      type: `checkout.session.${type}`,
      data: {
        object: {
          id,
          object: 'checkout.session',
          client_reference_id: topUpId,
          payment_status: 'paid',
          amount_total: Number(fields.get('line_items[0][price_data][unit_amount]')),
          currency: 'usd',
          ...changes,
        },
      },
    };
  }

  /** Stripe's event after an operator's refund. The amount in cents is the sum of all refunds of the payment. */
  refunded(topUpId: string, cents: number): Event {
    const { fields } = this.sessionFor(topUpId);
    return {
      id: `evt_${randomBytes(12).toString('hex')}`,
      type: 'charge.refunded',
      data: {
        object: {
          id: `ch_${topUpId}`,
          object: 'charge',
          amount_refunded: cents,
          currency: 'usd',
          metadata: { topUpId: fields.get('payment_intent_data[metadata][topUpId]') },
        },
      },
    };
  }

  /** Notifies the service, signed by the library itself. */
  notify(
    world: World,
    event: object,
    by: { readonly secret?: string; readonly timestamp?: number; readonly signature?: string } = {},
  ): Promise<Answer> {
    const payload = JSON.stringify({ object: 'event', ...event }, undefined, 2);
    const signature =
      by.signature ??
      this.signer.webhooks.generateTestHeaderString({
        payload,
        secret: by.secret ?? this.webhookSecret,
        ...(by.timestamp === undefined ? {} : { timestamp: by.timestamp }),
      });
    return world.post('/v1/account/billing/stripe/webhook', payload, { 'stripe-signature': signature });
  }

  /** The event for a person who has saved a card on the newest page. */
  cardSaved(changes: Readonly<Record<string, unknown>> = {}): Event {
    const session = [...this.sessions.values()].findLast(({ fields }) => fields.get('mode') === 'setup');
    if (session === undefined) throw new Error('No page for a card was opened.');
    const { id, fields } = session;
    return {
      id: `evt_${randomBytes(12).toString('hex')}`,
      type: 'checkout.session.completed',
      data: {
        object: {
          id,
          object: 'checkout.session',
          mode: 'setup',
          metadata: { accountId: fields.get('metadata[accountId]') },
          ...changes,
        },
      },
    };
  }

  /** The event about the present state of a payment. */
  about(intent: FakeIntent): Event {
    const type =
      { succeeded: 'succeeded', canceled: 'canceled' }[intent.status as string] ?? 'payment_failed';
    return {
      id: `evt_${randomBytes(12).toString('hex')}`,
      type: `payment_intent.${type}`,
      data: { object: { ...intent } },
    };
  }

  /** The sum that was taken from cards. */
  get takenCents(): number {
    return this.intents.reduce((sum, { amount_received: cents }) => sum + cents, 0);
  }

  protected override serve(request: Received, response: ServerResponse): void {
    this.calls += 1;
    const fields = new URLSearchParams(request.body.toString());
    const status = this.failures.shift() ?? this.refusal(request);
    const json = (code: number, body: object): void => {
      if (this.drops > 0 && request.method === 'POST') {
        this.drops -= 1;
        response.destroy();
        return;
      }
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (status !== undefined) {
      json(status, { error: { type: 'api_error', message: 'acct_secret_words of the processor' } });
      return;
    }
    json(...this.answer(request, fields));
  }

  private answer({ method, path, query, headers }: Received, fields: URLSearchParams): [number, object] {
    const key = String(headers['idempotency-key']);
    const [, , kind = '', id = '', action = ''] = path.split('/');
    switch (`${method} ${kind} ${action}`.trim()) {
      case 'POST customers':
        return [200, { id: `cus_${key}`, object: 'customer' }];
      case 'POST checkout':
        return [200, this.sessionOf(`cs_test_${key}`, fields)];
      case 'POST payment_intents':
        return this.once(key, fields);
      case 'GET payment_intents': {
        const data = this.intents.filter(({ customer }) => customer === query.get('customer')).toReversed();
        return [200, { object: 'list', data, has_more: false, url: '/v1/payment_intents' }];
      }
      case 'POST payment_intents cancel': {
        const intent = this.intents.find((one) => one.id === id);
        if (intent === undefined || intent.status === 'succeeded') return invalid('cannot be canceled');
        intent.status = 'canceled';
        return [200, { ...intent }];
      }
      case 'POST payment_methods detach':
        this.detached.push(id);
        return [200, { id, object: 'payment_method' }];
      default:
        return this.savedOf(path.split('/').at(-1) ?? '');
    }
  }

  private sessionOf(id: string, fields: URLSearchParams): object {
    const session = this.sessions.get(id) ?? { id, url: `https://checkout.stripe.test/${id}`, fields };
    this.sessions.set(id, session);
    return { id, object: 'checkout.session', url: session.url };
  }

  private savedOf(id: string): [number, object] {
    const session = this.sessions.get(id);
    if (session === undefined) return invalid('no such session');
    const card = { brand: 'visa', last4: '4242', exp_month: 7, exp_year: 2031 };
    const setup_intent = { id: `seti_${id}`, payment_method: { id: `pm_${id}`, type: 'card', card } };
    const customer = session.fields.get('customer');
    return [200, { id, object: 'checkout.session', mode: 'setup', customer, setup_intent }];
  }

  /** Stripe repeats its first answer for an idempotency key, even an error, and refuses other values. */
  private once(key: string, fields: URLSearchParams): [number, object] {
    const before = this.answers.get(key);
    if (before !== undefined && before.sent !== fields.toString()) {
      return [400, { error: { type: 'idempotency_error', message: 'other values' } }];
    }
    const answer = before?.answer ?? this.charge(fields);
    this.answers.set(key, { sent: fields.toString(), answer });
    return answer;
  }

  private charge(fields: URLSearchParams): [number, object] {
    const paymentMethod = fields.get('payment_method') ?? '';
    if (this.detached.includes(paymentMethod)) return invalid('the payment method is detached');
    const isGood = this.card === 'good';
    const intent: FakeIntent = {
      id: `pi_${randomBytes(8).toString('hex')}`,
      object: 'payment_intent',
      status: isGood ? 'succeeded' : this.card === 'slow' ? 'processing' : 'requires_payment_method',
      customer: fields.get('customer') ?? '',
      amount_received: isGood ? Number(fields.get('amount')) : 0,
      currency: fields.get('currency') ?? '',
      metadata: {
        topUpId: fields.get('metadata[topUpId]') ?? '',
        automatic: fields.get('metadata[automatic]') ?? '',
      },
      ...(isGood || this.card === 'slow' ? {} : { last_payment_error: { code: this.card } }),
    };
    this.intents.push(intent);
    if (isGood || this.card === 'slow') return [200, { ...intent }];
    const error = {
      type: 'card_error',
      code: this.card,
      message: 'secret words',
      payment_intent: { ...intent },
    };
    return [402, { error }];
  }

  private refusal({ headers }: Received): number | undefined {
    return headers.authorization === `Bearer ${this.secretKey}` ? undefined : 401;
  }
}

const invalid = (message: string): [number, object] => [
  400,
  { error: { type: 'invalid_request_error', message } },
];
