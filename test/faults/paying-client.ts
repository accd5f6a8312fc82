import { randomBytes } from 'node:crypto';

import { CHAT_URL, type Headers, type RailCaller, callersOf, sandboxRails } from '../contract/rail-callers';
import type { Answer } from '../support/world';
import type { Deployment } from './deployment';

/** The bought medium, and its price. */
export interface Goods {
  readonly url: string;
  readonly body: object;
  readonly price: bigint;
  /** Headers that the client sends besides those of its rail. */
  readonly headers?: Headers;
}

export const chatOf = (content: string): Goods => ({
  url: CHAT_URL,
  body: { messages: [{ role: 'user', content }], max_tokens: 64 },
  price: 2_000n,
});

export const MONEY = 100_000n;

/** The books contain addresses of wallets in lower case. */
export const payerIn = ({ payer }: RailCaller): string =>
  payer.startsWith('0x') ? payer.toLowerCase() : payer;

/** A conforming client with one call. It sends the identical call until it gets a final answer. */
export class PayingClient {
  /** The statuses of all answers so far. */
  readonly received: number[] = [];

  private constructor(
    private readonly deployment: Deployment,
    readonly rail: string,
    readonly caller: RailCaller,
    private readonly goods: Goods,
    private readonly headers: Headers,
  ) {}

  static async on(deployment: Deployment, rail: string, goods: Goods): Promise<PayingClient> {
    const caller = await callersOf(rail).caller(deployment.asWorld(), MONEY);
    return PayingClient.of(deployment, rail, caller, goods);
  }

  /** For a caller whose money is on another chain or in another account. */
  static async of(
    deployment: Deployment,
    rail: string,
    caller: RailCaller,
    goods: Goods,
  ): Promise<PayingClient> {
    // A payment identifies its call by itself. The other rails need an idempotency key.
    const mark: Headers =
      rail === 'x402' ? {} : { 'idempotency-key': `call-${randomBytes(8).toString('hex')}` };
    const credential = await caller.credential(goods.body, undefined, goods.url);
    return new PayingClient(deployment, rail, caller, goods, {
      ...goods.headers,
      ...credential,
      ...mark,
    });
  }

  /** Undefined if the connection broke or the client disconnected. */
  async send(place: number, signal?: AbortSignal): Promise<Answer | undefined> {
    try {
      const answer = await this.deployment.post(place, this.goods.url, this.goods.body, this.headers, signal);
      this.received.push(answer.status);
      return answer;
    } catch {
      return undefined;
    }
  }

  /** Sends the same idempotency key and payment with another body. */
  sendOtherBody(place: number): Promise<Answer> {
    const text = JSON.stringify(this.goods.body).replace(/"(prompt|content)":"/, '"$1":"Instead: ');
    return this.deployment.post(place, this.goods.url, JSON.parse(text) as object, this.headers);
  }

  /** Another body with the same idempotency key or payment must buy nothing. */
  async expectOtherBodyRefused(place: number): Promise<void> {
    const before = await this.states();
    const { status } = await this.sendOtherBody(place);
    expect({ rail: this.rail, status }).toEqual({
      rail: this.rail,
      status: this.rail === 'x402' ? 402 : 422,
    });
    expect(await this.states()).toEqual(before);
  }

  /** The reaction of a client that got no answer, or a 503. */
  async sendUntilAnswered(place: number): Promise<Answer> {
    for (let tries = 0; tries < 20; tries += 1) {
      const answer = await this.send(place);
      if (answer !== undefined && ![409, 503].includes(answer.status)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(`No answer on ${this.rail}, only ${this.received.join(', ')}.`);
  }

  async states(): Promise<readonly string[]> {
    const rows = await this.deployment.db.rows<{ state: string }>(
      'select state from charge where payer = $1 order by created_at',
      [payerIn(this.caller)],
    );
    return rows.map(({ state }) => state);
  }

  /** The promise "never pay twice, never lose", checked for this call. */
  async expectPaidOnce(): Promise<void> {
    // A client signs again after a 402, and a 4xx or a 502 means that no money was taken.
    expect(this.received.filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
    expect(this.received.at(-1)).toBe(200);
    const states = await this.states();
    expect({ rail: this.rail, charged: states.filter((state) => state === 'charged').length }).toEqual({
      rail: this.rail,
      charged: 1,
    });
    expect(states.filter((state) => state !== 'charged' && state !== 'released')).toEqual([]);
    expect({ rail: this.rail, left: await this.caller.left() }).toEqual({
      rail: this.rail,
      left: MONEY - this.goods.price,
    });
  }
}

export const onEveryRail = (deployment: Deployment, goods: Goods): Promise<PayingClient[]> =>
  Promise.all(sandboxRails().map((rail) => PayingClient.on(deployment, rail, goods)));
