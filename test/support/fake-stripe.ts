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

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

/** Stripe as far as we use it: it opens checkouts, remembers them, and signs what it says of them. */
export class FakeStripe extends LoopbackServer {
  readonly secretKey = 'sk_test_a_secret_of_this_test';
  readonly webhookSecret = 'whsec_a_secret_of_this_test';
  readonly sessions = new Map<string, FakeSession>();
  /** Calls that arrived, also those that were refused. */
  calls = 0;
  private failures: number[] = [];
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

  /** Notifies the service, signed by the library itself. */
  tell(
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

  protected override serve(request: Received, response: ServerResponse): void {
    this.calls += 1;
    const fields = new URLSearchParams(request.body.toString());
    const status = this.failures.shift() ?? this.refusal(request);
    const json = (code: number, body: object): void => {
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (status !== undefined) {
      json(status, { error: { type: 'api_error', message: 'acct_secret_words of the processor' } });
      return;
    }
    const id = `cs_test_${String(request.headers['idempotency-key'])}`;
    const session = this.sessions.get(id) ?? { id, url: `https://checkout.stripe.test/${id}`, fields };
    this.sessions.set(id, session);
    json(200, { id, object: 'checkout.session', url: session.url });
  }

  private refusal({ method, path, headers }: Received): number | undefined {
    if (headers.authorization !== `Bearer ${this.secretKey}`) {
      return 401;
    }
    return method === 'POST' && path === '/v1/checkout/sessions' ? undefined : 404;
  }
}
