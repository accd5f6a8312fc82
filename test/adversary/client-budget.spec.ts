import { appendFileSync, mkdtempSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

import {
  Budget,
  BudgetExceeded,
  Lamppost,
  type LamppostOptions,
} from '../../clients/typescript/src/lamppost';
import { LoopbackServer, type Received } from '../support/loopback-server';

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bDA02913';
const BASE_URL = 'https://shop.example';
const PRICE = 300_000;
/** The number of calls of a program that ignores every answer. */
const CALLS = 20;

interface Offer {
  readonly amount?: string;
  readonly maxTimeoutSeconds?: unknown;
  readonly network?: string;
  readonly asset?: string;
}

interface Payment {
  readonly accepted: { readonly network: string };
  readonly payload: { readonly authorization: Readonly<Record<'value' | 'validBefore' | 'nonce', string>> };
}

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

/** A service that keeps every signed payment, whatever it answers. */
class Keeper {
  readonly kept: Payment[] = [];
  /** Its answer to a paid call. */
  says: () => Response = () => json(402, { error: { code: 'INVALID_PAYMENT', message: 'Not taken.' } });
  /** Payment options that it offers in addition. */
  more: readonly Offer[] = [];

  constructor(private readonly offer: Offer = {}) {}

  /** The sum of all payments that it can still execute on the chain. */
  get micro(): number {
    return this.kept.reduce((sum, { payload }) => sum + Number(payload.authorization.value), 0);
  }

  readonly fetch: typeof fetch = (_, init) => {
    const payment = new Headers(init?.headers).get('payment-signature');
    if (payment === null) return Promise.resolve(this.challenge());
    this.kept.push(JSON.parse(Buffer.from(payment, 'base64').toString()) as Payment);
    return Promise.resolve(this.says());
  };

  private challenge(): Response {
    const offer = {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: String(PRICE),
      asset: USDC,
      payTo: `0x${'2'.repeat(40)}`,
      maxTimeoutSeconds: 60,
      ...this.offer,
    };
    const accepts = [offer, ...this.more.map((one) => ({ ...offer, ...one }))];
    const required = { x402Version: 2, resource: {}, accepts };
    const text = Buffer.from(JSON.stringify(required)).toString('base64');
    return json(402, { error: { code: 'PAYMENT_REQUIRED', message: 'Pay.' } }, { 'payment-required': text });
  }
}

const NOT_TAKEN = `0x${'0'.repeat(64)}`;
const TAKEN = `0x${'0'.repeat(63)}1`;

/** A node that reports the state of a payment on its chain. */
class ChainNode extends LoopbackServer {
  chainId = '0x2105';
  state = NOT_TAKEN;
  /** The time of its newest block, in seconds after now. */
  aheadSeconds = 0;

  protected override serve({ body }: Received, response: ServerResponse): void {
    const { method } = JSON.parse(body.toString()) as { method: string };
    const seconds = Math.floor(Date.now() / 1_000) + this.aheadSeconds;
    const block = { number: '0x10', timestamp: `0x${seconds.toString(16)}` };
    const result = { eth_chainId: this.chainId, eth_getBlockByNumber: block, eth_call: this.state }[method];
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  }
}

const clientOf = (keeper: Keeper, more: Partial<LamppostOptions> = {}): Lamppost =>
  new Lamppost({
    baseUrl: BASE_URL,
    wallet: privateKeyToAccount(generatePrivateKey()),
    tries: 1,
    fetch: keeper.fetch,
    ...more,
  });

const insist = async (call: () => Promise<unknown>): Promise<readonly unknown[]> => {
  const outcomes: unknown[] = [];
  for (let time = 0; time < CALLS; time += 1) outcomes.push(await call().catch((error: unknown) => error));
  return outcomes;
};

const refused = (outcomes: readonly unknown[]): number =>
  outcomes.filter((one) => one instanceof BudgetExceeded).length;

describe('the budget of a client, before a service that lies', () => {
  it.each<[string, () => Response]>([
    ['402', () => json(402, { error: { code: 'INVALID_PAYMENT', message: 'Not taken.' } })],
    [
      '400',
      () => json(400, { error: { code: 'INVALID_REQUEST', message: 'No.' } }, { 'x-charge-state': 'none' }),
    ],
    [
      'refunded',
      () =>
        json(502, { error: { code: 'PROVIDER_ERROR', message: 'Sorry.' } }, { 'x-charge-state': 'refunded' }),
    ],
    ['nothing that can be read', () => new Response('<html>', { status: 200 })],
    [
      'a charge that is no number',
      () => json(200, { choices: [], usage: {} }, { 'x-charge-micro': 'abc', 'x-charge-id': 'ch_1' }),
    ],
    ['a charge below zero', () => json(200, { choices: [], usage: {} }, { 'x-charge-micro': '-1e9' })],
    ['a charge of nothing', () => json(200, { choices: [], usage: {} }, { 'x-charge-micro': '0' })],
  ])('signs for no more in all where every signed payment is answered with %s', async (_, says) => {
    const keeper = new Keeper();
    keeper.says = says;
    const client = clientOf(keeper, { budget: { total: 1 } });

    const outcomes = await insist(() => client.chat('Hello.'));

    expect([keeper.micro, refused(outcomes)]).toEqual([3 * PRICE, CALLS - 3]);
    const { spentMicro, reservedMicro, leftMicro } = await client.budget.state();
    expect([spentMicro + reservedMicro, leftMicro]).toEqual([3 * PRICE, 1_000_000 - 3 * PRICE]);
  });

  it('signs for no more in all where paid films fail and are reported as refunded', async () => {
    const keeper = new Keeper();
    const job = { jobId: 'job_1', status: 'failed', error: 'no', chargeState: 'refunded' };
    keeper.says = () => json(202, { jobId: 'job_1', status: 'running' }, { 'x-charge-micro': 'abc' });
    const send: typeof fetch = (input, init) =>
      init?.method === 'GET' ? Promise.resolve(json(200, job)) : keeper.fetch(input, init);
    const client = clientOf(keeper, { budget: { total: 1 }, fetch: send });

    const outcomes = await insist(() => client.video('Waves.'));

    expect([keeper.micro, refused(outcomes)]).toEqual([3 * PRICE, CALLS - 3]);
  });

  it('signs once for calls that are made at once under one mark', async () => {
    const keeper = new Keeper();
    const client = clientOf(keeper, { budget: { total: 10 } });
    const options = { idempotencyKey: 'the same call' };

    await Promise.allSettled([1, 2, 3].map(() => client.chat('Hello.', options)));

    expect(new Set(keeper.kept.map(({ payload }) => payload.authorization.nonce)).size).toBe(1);
  });

  it('counts what is signed at once by clients that share it', async () => {
    const keeper = new Keeper();
    const budget = new Budget({ total: 1 });
    const clients = [clientOf(keeper, { budget }), clientOf(keeper, { budget })];

    await Promise.allSettled(Array.from({ length: CALLS }, (_, at) => clients[at % 2]!.chat(`Hello ${at}.`)));

    expect(keeper.micro).toBe(3 * PRICE);
  });

  it('counts what programs have signed that share a file, also those that are gone', async () => {
    const keeper = new Keeper();
    const file = join(mkdtempSync(join(tmpdir(), 'budget-')), 'budget.jsonl');
    const program = (): Lamppost => clientOf(keeper, { budget: { total: 1, file } });

    await Promise.allSettled(Array.from({ length: CALLS }, () => program().chat('Hello.')));
    await insist(() => program().chat('Hello again.'));

    expect(keeper.micro).toBe(3 * PRICE);
    expect(await program().budget.state()).toEqual({
      spentMicro: 0,
      reservedMicro: 3 * PRICE,
      leftMicro: 1_000_000 - 3 * PRICE,
    });
  });

  it('frees what was never sent', async () => {
    const keeper = new Keeper();
    const wallet = privateKeyToAccount(generatePrivateKey());
    jest.spyOn(wallet, 'signTypedData').mockRejectedValue(new Error('The user refused to sign.'));
    const client = clientOf(keeper, { budget: { total: 1 }, wallet });

    await insist(() => client.chat('Hello.'));

    expect(await client.budget.state()).toEqual({ spentMicro: 0, reservedMicro: 0, leftMicro: 1_000_000 });
  });

  it('counts a refused payment as spent when its time is over and no chain can be asked', async () => {
    const keeper = new Keeper();
    const client = clientOf(keeper, { budget: { total: 1 } });
    await client.chat('Hello.').catch(() => undefined);
    const later = Date.now() + 3_600_000;
    jest.spyOn(Date, 'now').mockReturnValue(later);

    expect(await client.budget.state()).toMatchObject({ spentMicro: PRICE, reservedMicro: 0 });
    await insist(() => client.chat('Hello.'));
    jest.restoreAllMocks();
    expect(keeper.micro).toBe(3 * PRICE);
  });

  describe('by key, where an answer was lost', () => {
    const limited = { error: { code: 'RATE_LIMITED', message: 'Later.', retryable: true } };
    const later = (): Response => json(429, limited, { 'x-charge-state': 'none', 'retry-after': '3600' });
    const priced = (init: RequestInit | undefined): Response | undefined =>
      (init?.body as string | undefined)?.includes('"dryRun":true') === true
        ? json(200, { priceMicro: PRICE })
        : undefined;
    const good = (): Response => json(200, { choices: [] }, { 'x-charge-micro': String(PRICE) });
    const byKey = (send: typeof fetch, budget: Budget): Lamppost =>
      new Lamppost({ baseUrl: BASE_URL, key: 'lp_0123456789', tries: 2, budget, fetch: send });

    it('counts the call, also where its next try is refused before the service has looked for it', async () => {
      let sent = 0;
      const send: typeof fetch = (_, init) => {
        const price = priced(init);
        if (price !== undefined) return Promise.resolve(price);
        sent += 1;
        return sent === 1 ? Promise.reject(new TypeError('broken off')) : Promise.resolve(later());
      };
      const budget = new Budget({ total: 1 });
      const client = byKey(send, budget);
      const options = { idempotencyKey: 'a lost answer' };

      await expect(client.chat('Hello.', options)).rejects.toMatchObject({ status: 429 });
      expect(await budget.state()).toMatchObject({ reservedMicro: PRICE });
      await expect(client.chat('Hello.', options)).rejects.toMatchObject({ status: 429 });
      expect(await budget.state()).toMatchObject({ reservedMicro: PRICE });
    });

    it('counts a call that is made twice at once, where one of the two is refused', async () => {
      const answers: ((response: Response) => void)[] = [];
      const send: typeof fetch = (_, init) => {
        const price = priced(init);
        return price === undefined ? new Promise((resolve) => answers.push(resolve)) : Promise.resolve(price);
      };
      const budget = new Budget({ total: 1 });
      const client = byKey(send, budget);
      const twice = [1, 2].map(() => client.chat('Hello.', { idempotencyKey: 'made twice at once' }));
      const outcomes = Promise.allSettled(twice);
      while (answers.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
      answers[0]!(later());
      await new Promise((resolve) => setTimeout(resolve, 20));
      answers[1]!(good());
      await outcomes;

      expect(await budget.state()).toMatchObject({ spentMicro: PRICE, reservedMicro: 0 });
    });

    it('counts a call that was refused at once as nothing', async () => {
      const budget = new Budget({ total: 1 });
      const client = byKey((_, init) => Promise.resolve(priced(init) ?? later()), budget);
      await client.chat('Hello.').catch(() => undefined);

      expect(await budget.state()).toMatchObject({ spentMicro: 0, reservedMicro: 0 });
    });
  });

  describe('with a node of the chain to ask', () => {
    let node: ChainNode;

    beforeEach(async () => {
      node = await new ChainNode().start();
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await node.stop();
    });

    /** Returns the state after a refused payment has expired. */
    const stateLater = async (): Promise<object> => {
      const client = clientOf(new Keeper(), { budget: { total: 1, rpcUrl: node.origin } });
      await client.chat('Hello.').catch(() => undefined);
      const later = Date.now() + 3_600_000;
      jest.spyOn(Date, 'now').mockReturnValue(later);
      return client.budget.state();
    };

    it('frees a payment that was surely never taken', async () => {
      expect(await stateLater()).toEqual({ spentMicro: 0, reservedMicro: 0, leftMicro: 1_000_000 });
    });

    it.each<[string, number, Partial<ChainNode>]>([
      ['spends one that was taken', 0, { state: TAKEN }],
      ['keeps one of which another chain knows nothing', PRICE, { chainId: '0x1' }],
      ['keeps one that a block to come could still take', PRICE, { aheadSeconds: -3_600 }],
      ['keeps one of which the node says nothing', PRICE, { state: '0x' }],
    ])('%s', async (_, reservedMicro, node_) => {
      Object.assign(node, node_);

      expect(await stateLater()).toMatchObject({ reservedMicro, leftMicro: 1_000_000 - PRICE });
    });
  });

  it('counts the cost of a stream once, however many costs a service reports', async () => {
    const rates = [{ id: 'words', default: true, inputUsdPerMtok: '10', outputUsdPerMtok: '10' }];
    const events = [5, 7, 9].map(
      (priceMicro) => `data: ${JSON.stringify({ charge: { id: 'ch_1', priceMicro } })}\n\n`,
    );
    const send: typeof fetch = (_, init) =>
      Promise.resolve(
        init?.method === 'GET'
          ? json(200, { models: [], textModels: rates })
          : new Response(`${events.join('')}data: [DONE]\n\n`),
      );
    for (const budget of [new Budget(), new Budget({ total: 1 })]) {
      const client = new Lamppost({ baseUrl: BASE_URL, key: 'lp_0123456789', budget, fetch: send });
      const costs: (number | undefined)[] = [];
      for await (const { charge } of client.stream('Hello.')) costs.push(charge?.micro);

      expect([costs, (await budget.state()).spentMicro]).toEqual([[5], 5]);
    }
  });

  it('reads on behind a line that a dying program has left half written', async () => {
    const keeper = new Keeper();
    const file = join(mkdtempSync(join(tmpdir(), 'budget-')), 'budget.jsonl');
    await clientOf(keeper, { budget: { total: 1, file } })
      .chat('Hello.')
      .catch(() => undefined);
    appendFileSync(file, '{"type":"reserve","id":"x","mic');

    await insist(() => clientOf(keeper, { budget: { total: 1, file } }).chat('Hello.'));

    expect(keeper.micro).toBe(3 * PRICE);
  });

  it('takes no file that is something else for its history', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'budget-')), 'other.jsonl');
    appendFileSync(file, '{"type":"reserve","id":"x","micro":-5}\n');

    await expect(clientOf(new Keeper(), { budget: { total: 1, file } }).chat('Hello.')).rejects.toThrow(
      'a line that is none of a budget',
    );
  });

  describe('signs for the least of all limits', () => {
    it.each<[string, Partial<LamppostOptions>, number | undefined]>([
      ['that of the call, below that of each call', { budget: { perCall: 5 } }, PRICE - 1],
      ['that of each call, below that of the call', { budget: { perCall: 0.2 } }, 5_000_000],
      ['what is left in all', { budget: { perCall: 5, total: 0.2 } }, 5_000_000],
      ['that of the call alone', {}, PRICE - 1],
    ])('%s', async (_, options, maxPriceMicro) => {
      const keeper = new Keeper();
      const call = clientOf(keeper, options).chat('Hello.', { maxPriceMicro });

      await expect(call).rejects.toBeInstanceOf(BudgetExceeded);
      expect(keeper.kept).toEqual([]);
    });

    it('a dollar, where nobody has set one', async () => {
      const keeper = new Keeper({ amount: '1000001' });

      await expect(clientOf(keeper).chat('Hello.')).rejects.toBeInstanceOf(BudgetExceeded);
      await expect(clientOf(keeper, { budget: { total: 50 } }).chat('Hello.')).rejects.toBeInstanceOf(
        BudgetExceeded,
      );
      expect(keeper.kept).toEqual([]);
    });

    it('the amount of a top-up', async () => {
      const keeper = new Keeper({ amount: '5000001' });

      await expect(clientOf(keeper, { budget: { perCall: 50 } }).topUp(5)).rejects.toBeInstanceOf(
        BudgetExceeded,
      );
      expect(keeper.kept).toEqual([]);
    });
  });

  describe('signs on no network and for no token that only a service names', () => {
    const POLYGON = 'eip155:137';
    const POLYGON_USDC = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
    const OTHER = `0x${'9'.repeat(40)}`;

    it.each<[string, Offer, Partial<LamppostOptions>]>([
      ['a network that the caller has not named', { network: POLYGON, asset: POLYGON_USDC }, {}],
      ['Base, where the caller named another one', {}, { networks: [POLYGON] }],
      ['the token of another network', { network: POLYGON, asset: USDC }, { networks: [POLYGON] }],
      ['a token of nobody', { network: POLYGON, asset: OTHER }, { networks: [POLYGON] }],
      [
        'a token that the caller named for another network',
        { asset: OTHER },
        { networks: ['eip155:8453', POLYGON], assets: [{ network: POLYGON, asset: OTHER }] },
      ],
      ['a network in another spelling', { network: 'eip155:08453' }, {}],
    ])('%s', async (_, offer, options) => {
      const keeper = new Keeper(offer);

      await expect(clientOf(keeper, options).chat('Hello.')).rejects.toThrow('Nothing was signed');
      expect(keeper.kept).toEqual([]);
    });

    it.each<[string, Offer, Partial<LamppostOptions>]>([
      [
        'USDC of a network that its options name',
        { network: POLYGON, asset: POLYGON_USDC },
        { networks: [POLYGON] },
      ],
      [
        'a token that its options name with its network',
        { network: 'eip155:999', asset: OTHER },
        { assets: [{ network: 'eip155:999', asset: OTHER }] },
      ],
      [
        'a token on each of the named networks',
        { network: 'eip155:999', asset: OTHER },
        { networks: ['eip155:999'], assets: [OTHER] },
      ],
    ])('but for %s', async (_, offer, options) => {
      const keeper = new Keeper(offer);
      await clientOf(keeper, options)
        .chat('Hello.')
        .catch(() => undefined);

      expect(keeper.kept).toHaveLength(1);
    });

    it('prefers the first network of its options, and else that of the service', async () => {
      const networks = [POLYGON, 'eip155:8453'];
      const chosen = async (options: Partial<LamppostOptions>): Promise<string> => {
        const keeper = new Keeper();
        keeper.more = [{ network: POLYGON, asset: POLYGON_USDC }];
        await clientOf(keeper, options)
          .chat('Hello.')
          .catch(() => undefined);
        return keeper.kept[0]!.accepted.network;
      };

      expect(await chosen({ networks })).toBe(POLYGON);
      expect(await chosen({ networks: networks.toReversed() })).toBe('eip155:8453');
      expect(await chosen({})).toBe('eip155:8453');
    });

    it.each<[string, object, string]>([
      ['a network whose token nobody knows', { networks: ['eip155:999'] }, 'USDC of eip155:999 is not known'],
      ['a network that is none', { networks: ['polygon'] }, 'networks is a list'],
      ['no network at all', { networks: [] }, 'networks is a list'],
      ['a token that is none', { assets: ['USDT'] }, 'assets are addresses'],
    ])('and takes no options with %s', (_, options, message) => {
      expect(() => clientOf(new Keeper(), options)).toThrow(message);
    });
  });

  it.each([3_600, 86_400])('signs for ten minutes at most where %i seconds are asked', async (seconds) => {
    const keeper = new Keeper({ maxTimeoutSeconds: seconds });
    await clientOf(keeper)
      .chat('Hello.')
      .catch(() => undefined);

    const [payment] = keeper.kept;
    const validFor = Number(payment!.payload.authorization.validBefore) - Date.now() / 1_000;
    expect(validFor).toBeLessThanOrEqual(600);
  });

  it.each<[string, Offer]>([
    ['could be taken for 31 years', { maxTimeoutSeconds: 1e9 }],
    ['has no end', { maxTimeoutSeconds: 'soon' }],
    ['asks for what is no number', { amount: '1e5' }],
    ['asks for less than nothing', { amount: '-300000' }],
    ['is on no chain', { network: 'base' }],
  ])('signs for nothing that %s, and says why', async (_, offer) => {
    const keeper = new Keeper(offer);

    await expect(clientOf(keeper).chat('Hello.')).rejects.toThrow('Nothing was signed');
    expect(keeper.kept).toEqual([]);
  });
});
