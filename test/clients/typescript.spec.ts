import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import sharp from 'sharp';
import { type PrivateKeyAccount, generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

import {
  Budget,
  BudgetExceeded,
  JobFailed,
  Lamppost,
  LamppostError,
  type LamppostOptions,
  NoAnswer,
  isGenuineWebhook,
} from '../../clients/typescript/src/lamppost';
import { freePort } from '../../tools/chain/free-port';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';
import { Receiver } from '../webhooks/receiver';
import { TornNetwork } from './torn-network';

const CREDITS = 50_000_000n;
const CALLS = 300;
const AT_ONCE = 16;
/** The least share of requests that the network must harm. */
const HARM_MIN = 0.33;

describe('the TypeScript client', () => {
  let world: World;
  let baseUrl: string;
  let caller: KeyCaller;
  let account: PrivateKeyAccount;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}`, FETCH_ALLOW_HOSTS: '127.0.0.1' });
    baseUrl = await world.listen(port);
  });
  beforeEach(async () => {
    caller = await KeyCaller.register(world, CREDITS);
    account = privateKeyToAccount(generatePrivateKey());
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const byKey = (more: Partial<LamppostOptions> = {}): Lamppost =>
    new Lamppost({ baseUrl, key: caller.key, ...more });
  const byWallet = (more: Partial<LamppostOptions> = {}): Lamppost =>
    new Lamppost({ baseUrl, wallet: account, ...more });
  const spent = async (): Promise<bigint> => CREDITS - BigInt((await byKey().balance()).micro);

  it('buys with a key, and says what it cost and what is left', async () => {
    const { text, usage, charge } = await byKey().chat('Why are lampposts green?', { maxTokens: 50 });

    expect([text.length > 0, usage.prompt_tokens > 0]).toEqual([true, true]);
    expect(charge).toEqual({
      id: expect.stringMatching(/^ch_/),
      micro: Number(await spent()),
      balanceMicro: (await byKey().balance()).micro,
    });
  });

  it('buys with USDC for each call, and with the balance that a wallet has topped up', async () => {
    const perCall = byWallet({ budget: { perCall: 5 } });
    const picture = await perCall.image('a lamp in the fog');
    const { micro } = await perCall.topUp(5);
    const { charge } = await byWallet({ pay: 'balance' }).chat('Hello.');

    expect(micro).toBe(5_000_000);
    expect((await perCall.balance()).micro).toBe(5_000_000 - charge.micro);
    const rails = await Promise.all(
      [picture.charge, charge].map(async ({ id }) => (await perCall.receipts.get(id)).rail),
    );
    expect(rails).toEqual(['x402', 'wallet']);
  });

  it('hands on a part of its money, which its budget counts', async () => {
    const client = byKey({ budget: { total: 1 } });
    const { id, key } = await client.delegated.create({ limitMicro: 600_000, expiresInSeconds: 600 });
    const helper = new Lamppost({ baseUrl, key });
    const { charge } = await helper.chat('Hello.');

    expect(await client.delegated.list()).toMatchObject([{ id, spentMicro: charge.micro }]);
    await expect(
      client.delegated.create({ limitMicro: 600_000, expiresInSeconds: 600 }),
    ).rejects.toBeInstanceOf(BudgetExceeded);
    await client.delegated.delete(id);
    await expect(helper.chat('Hello.')).rejects.toMatchObject({ status: 401 });
  });

  it('signs in once for all calls of five minutes', async () => {
    await byWallet({ budget: { perCall: 5 } }).topUp(5);
    const signMessage = jest.spyOn(account, 'signMessage');
    const client = byWallet({ pay: 'balance' });
    await Promise.all([client.chat('One.'), client.chat('Two.'), client.references.list()]);

    expect(signMessage).toHaveBeenCalledTimes(1);
  });

  it('takes files and bytes, and gives files, streams and bytes', async () => {
    const square = sharp({ create: { width: 64, height: 64, channels: 3, background: 'tan' } });
    const bytes = new Uint8Array(await square.png().toBuffer());
    const path = join(mkdtempSync(join(tmpdir(), 'client-')), 'made.png');
    const client = byKey();

    for (const image of [bytes, new Blob([bytes], { type: 'image/png' })]) {
      const made = await client.image('the same in red', { image });
      await made.save(path);
      expect(readFileSync(path).equals(await made.bytes())).toBe(true);
      expect((await made.blob()).size).toBe(readFileSync(path).length);
    }
  });

  it('makes a film from a picture in the length of its model, where nobody has named one', async () => {
    const picture = await byKey().image('a lamp');
    const film = await byKey().video('it sways', { image: await picture.stream() });

    expect((await film.blob()).type).toBe('video/mp4');
    await expect(
      byKey().video('it sways', { image: await picture.bytes(), duration: 4 }),
    ).rejects.toMatchObject({
      param: 'duration',
    });
  });

  it('waits for a film, and reports its progress', async () => {
    const received: number[] = [];
    const film = await byKey().video('waves at night', { onProgress: (percent) => received.push(percent) });

    expect(received).toEqual(received.toSorted((a, b) => a - b));
    expect((await film.blob()).type).toBe('video/mp4');
  });

  it('pays the price that was locked, and no more than a call may cost', async () => {
    const client = byKey();
    const { quoteId, priceMicro } = await client.quote({ modelId: 'ember-image', prompt: 'x' });
    const { charge } = await client.image('x', { modelId: 'ember-image', quoteId });

    expect(charge.micro).toBe(priceMicro);
    await expect(
      client.image('x', { modelId: 'ember-image', maxPriceMicro: priceMicro - 1 }),
    ).rejects.toMatchObject({ code: 'PRICE_ABOVE_MAX', chargeState: 'none' });
    expect(await spent()).toBe(BigInt(priceMicro));
  });

  it('lists its jobs page by page, and cancels one', async () => {
    const client = byKey();
    const film = client.video('waves [[delay 20s]]', { tag: 'a film' }).catch((error: unknown) => error);
    const running = async () => {
      for await (const job of client.jobs.list({ status: 'running', tag: 'a film' })) return job;
      return undefined;
    };
    await expectEventually(async () => (await running())?.cancellable === true);
    const { id } = (await running())!;

    expect(await client.jobs.cancel(id)).toMatchObject({ status: 'failed', errorCode: 'CANCELLED' });
    expect(await film).toBeInstanceOf(JobFailed);
    expect(await spent()).toBe(0n);
  });

  it('yields each event live and once, also through a network that breaks', async () => {
    const network = await TornNetwork.to(baseUrl);
    const reported = async (): Promise<string[]> => {
      const ids: string[] = [];
      const events = byKey({ baseUrl: network.url }).events({ types: ['job.done'] });
      for await (const event of events) if (event.type === 'job.done' && ids.push(event.data.id) === 5) break;
      return ids;
    };
    const received = reported();
    for (let turn = 0; turn < 5; turn += 1) await byKey().image('a lamp');
    const made: string[] = [];
    for await (const job of byKey().jobs.list()) made.unshift(job.id);

    expect(await received).toEqual(made);
    await network.stop();
  });

  it('says that a film has failed, and that the money is back', async () => {
    const failure = await byKey()
      .video('a film [[fail]]')
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(JobFailed);
    expect(await spent()).toBe(0n);
  });

  it('gives a text piece by piece, and its cost at the end', async () => {
    let text = '';
    let cost = 0;
    for await (const piece of byKey().stream('Count to five.')) {
      text += piece.text;
      cost += piece.charge?.micro ?? 0;
    }

    expect(text).not.toBe('');
    expect(BigInt(cost)).toBe(await spent());
  });

  describe('with what a wallet has topped up', () => {
    const keysOf = async (): Promise<readonly object[]> => byWallet().delegated.list();
    const paid = async (): Promise<number> => 1_000_000 - (await byWallet().balance()).micro;

    beforeEach(async () => {
      const funded = new WalletCaller();
      account = privateKeyToAccount(funded.privateKey);
      await funded.fund(world, 1_000_000n);
    });

    it('gives a text piece by piece, by a key that can pay it alone and ends with it', async () => {
      const client = byWallet({ pay: 'balance', budget: { total: 0.5 } });
      let cost = 0;
      let during: readonly object[] = [];
      for await (const { charge } of client.stream('Count to five.', { maxTokens: 20 })) {
        if (during.length === 0) during = await keysOf();
        cost += charge?.micro ?? 0;
      }

      expect(during).toMatchObject([{ state: 'active', scopes: { routes: ['studio'] } }]);
      expect((during[0] as { limitMicro: number }).limitMicro).toBeLessThan(20_000);
      expect([await paid(), await keysOf()]).toEqual([cost, []]);
    });

    it('pays the text so far when the loop is left or the signal aborts, and ends the key if its answer began', async () => {
      const client = byWallet({ pay: 'balance' });
      for await (const { text } of client.stream('Count [[tokens 500]].')) if (text !== '') break;
      expect(await keysOf()).toEqual([]);
      const slow = client.stream('Hello [[delay 30s]].', { signal: AbortSignal.timeout(500) });

      await expect(slow.next()).rejects.toThrow('aborted');
      // Only this key finds the outcome of the call. It expires by itself.
      expect(await keysOf()).toMatchObject([{ state: 'active' }]);
      await expectEventually(async () => {
        const open = await world.db.rows(`select 1 from charge where payer = $1 and state = 'held'`, [
          account.address.toLowerCase(),
        ]);
        return open.length === 0;
      });
      expect(await paid()).toBeGreaterThan(0);
    });

    it('refuses a text that could cost more than its budget before any key is made', async () => {
      const client = byWallet({ pay: 'balance', budget: { perCall: 0.000_001 } });

      await expect(client.stream('Hello.').next()).rejects.toBeInstanceOf(BudgetExceeded);
      expect(
        await world.db.rows('select 1 from api_key where wallet = $1', [account.address.toLowerCase()]),
      ).toEqual([]);
    });

    it('pays a completion once that is asked for again by another process', async () => {
      const breaks: typeof fetch = async (input, init) => {
        const response = await fetch(input, init);
        if (response.headers.has('x-charge-micro')) throw new TypeError('broken off');
        return response;
      };
      const body = { messages: [{ role: 'user' as const, content: 'Hello.' }] };
      const ask = (more: Partial<LamppostOptions>) =>
        byWallet({ pay: 'balance', tries: 1, ...more }).completions.create(body, {
          idempotencyKey: 'the same answer',
        });

      await expect(ask({ fetch: breaks })).rejects.toBeInstanceOf(NoAnswer);
      const { charge } = await ask({});
      expect([await paid(), await keysOf()]).toEqual([charge.micro, []]);
    });
  });

  it('keeps references, and finds them by what they show', async () => {
    const client = byKey();
    const bytes = new Uint8Array(
      await sharp({ create: { width: 8, height: 8, channels: 3, background: 'navy' } })
        .png()
        .toBuffer(),
    );
    const { id } = await client.references.store(bytes, { label: 'a blue boat' });

    expect((await client.references.list()).map((one) => one.id)).toEqual([id]);
    await client.references.delete(id);
    expect(await client.references.list()).toEqual([]);
  });

  it('knows a genuine receipt from one that was changed', async () => {
    const client = byKey();
    const { charge } = await client.chat('Hello.');
    const receipt = await client.receipts.get(charge.id);

    expect(await client.receipts.verify(receipt)).toBe(true);
    expect(await client.receipts.verify({ ...receipt, priceMicro: 1 })).toBe(false);
  });

  it('registers webhooks, and knows messages of the service from others', async () => {
    const receiver = await new Receiver().start();
    const client = byKey();
    await client.chat('Owners who have paid once may have webhooks.');
    const { id, secret } = await client.webhooks.create({ url: receiver.url, types: ['job.done'] });
    await client.image('a lamp');
    await expectEventually(() => receiver.received.length > 0);
    const [message] = receiver.received;
    const guide = (await world.get('/v1/agent/guide.md')).body as string;
    const [publicKey = ''] = /whpk_[\w+/=]+/.exec(guide) ?? [];
    const changed = { ...message!, body: message!.body.replace('done', 'gone') };

    const { owner } = JSON.parse(message!.body).recipient as { owner: string };
    const recipient = { owner, endpoint: id };
    expect(await isGenuineWebhook(message!, { secret })).toBe(true);
    for (const proof of [
      { secret, recipient },
      { publicKey, recipient },
    ]) {
      expect(await isGenuineWebhook(message!, proof)).toBe(true);
      expect(await isGenuineWebhook(changed, proof)).toBe(false);
      // A genuine message for one receiver is no proof for another receiver.
      const isFor = (recipient: { owner: string; endpoint?: string }) =>
        isGenuineWebhook(message!, { ...proof, recipient });
      expect(await isFor({ owner, endpoint: id })).toBe(true);
      expect(await isFor({ owner, endpoint: 'whe_other' })).toBe(false);
      expect(await isFor({ owner })).toBe(false);
      expect(await isFor({ owner: 'acc_somebody_else', endpoint: id })).toBe(false);
    }
    await expectEventually(async () => (await client.webhooks.deliveries(id))[0]?.state === 'delivered');
    await client.webhooks.delete(id);
    expect(await client.webhooks.list()).toEqual([]);
    await receiver.stop();
  });

  it('manages the keys of an account with its session', async () => {
    const client = new Lamppost({ baseUrl, session: caller.cookie });
    const { key, id } = await client.keys.create({ name: 'for a friend', expiresInDays: 30 });

    expect((await new Lamppost({ baseUrl, key }).balance()).micro).toBe(Number(CREDITS));
    await client.keys.update(id, { enabled: false });
    await expect(new Lamppost({ baseUrl, key }).balance()).rejects.toMatchObject({ status: 401 });
    await client.keys.delete(id);
    expect((await client.keys.list()).map((one) => one.id)).not.toContain(id);
  });

  it('throws what the service says, with the body that would have been right', async () => {
    const error = await byKey()
      .video('waves', { modelId: 'torch-video', duration: 5 })
      .catch((failure: unknown) => failure);

    expect(error).toBeInstanceOf(LamppostError);
    expect(error).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'duration',
      fix: { duration: 4 },
      retryable: false,
    });
  });

  describe('with a budget', () => {
    const price = async (): Promise<number> =>
      (await byKey().quote({ modelId: 'ember-image', prompt: 'x' })).priceMicro;

    it('refuses a dear call before it is sent', async () => {
      const client = byKey({ budget: { perCall: 0.000_001 } });

      await expect(client.image('x', { modelId: 'ember-image' })).rejects.toBeInstanceOf(BudgetExceeded);
      expect(await spent()).toBe(0n);
    });

    it('refuses a dear payment before it is signed', async () => {
      const signTypedData = jest.spyOn(account, 'signTypedData');

      await expect(byWallet({ budget: { perCall: 0.000_001 } }).image('x')).rejects.toBeInstanceOf(
        BudgetExceeded,
      );
      expect(signTypedData).not.toHaveBeenCalled();
    });

    it('spends no more in all than it may, also in concurrent calls', async () => {
      const each = await price();
      const client = byKey({ budget: { total: (each * 3.5) / 1e6 } });
      const calls = Array.from({ length: 8 }, () => client.image('x', { modelId: 'ember-image' }));
      const outcomes = await Promise.allSettled(calls);

      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      expect(await spent()).toBe(BigInt(each * 3));
    });

    it.each([
      ['lumen-flash', {}],
      ['lumen-ultra', {}],
      ['lumen-ultra', { max_tokens: 64 }],
    ])('reserves at least what a completion of %s may cost, with %j', async (model, limits) => {
      const budget = new Budget({ total: 100 });
      const seen = { reserved: 0, most: Infinity };
      const client = byKey({
        budget,
        fetch: async (...args) => {
          const { reservedMicro } = await budget.state();
          const answer = await fetch(...args);
          const most = answer.headers.get('x-charge-micro');
          if (most !== null) Object.assign(seen, { reserved: reservedMicro, most: Number(most) });
          return answer;
        },
      });
      const messages = [{ role: 'user' as const, content: 'Say hello. '.repeat(100) }];
      for await (const _ of client.completions.stream({ model, messages, ...limits }));

      expect(seen.reserved).toBeGreaterThanOrEqual(seen.most);
    });

    it.each([['-1000000'], ['nonsense'], ['1.5'], ['1e30']])(
      'is not widened by a service that names the price %s',
      async (priceMicro) => {
        const lying: typeof fetch = () =>
          Promise.resolve(new Response(`{"priceMicro":${JSON.stringify(Number(priceMicro))}}`));
        const honest = { fetch: undefined as typeof fetch | undefined };
        const client = byKey({
          budget: { total: 0.000_001 },
          fetch: (...args) => (honest.fetch ?? lying)(...args),
        });

        await expect(client.chat('Hello.')).rejects.toThrow('a price that is none');
        honest.fetch = fetch;
        await expect(client.chat('Hello.')).rejects.toBeInstanceOf(BudgetExceeded);
        expect(await spent()).toBe(0n);
      },
    );

    it.each(['-1000000', 'nonsense'])(
      'is not widened by a service that says it charged %s',
      async (micro) => {
        const each = await price();
        const client = byKey({
          budget: { total: each / 1e6 },
          fetch: async (...args) => {
            const response = await fetch(...args);
            const headers = new Headers(response.headers);
            if (headers.has('x-charge-micro')) headers.set('x-charge-micro', micro);
            return new Response(await response.arrayBuffer(), { status: response.status, headers });
          },
        });

        await client.image('x', { modelId: 'ember-image' });
        await expect(client.image('x', { modelId: 'ember-image' })).rejects.toBeInstanceOf(BudgetExceeded);
      },
    );

    it('counts a call once that is asked for again after no answer', async () => {
      const each = await price();
      const breaks = { left: 1 };
      const client = byKey({
        tries: 1,
        budget: { total: each / 1e6 },
        fetch: async (input, init) => {
          const response = await fetch(input, init);
          if (response.headers.has('x-charge-micro') && breaks.left-- > 0) throw new TypeError('broken off');
          return response;
        },
      });
      const call = { modelId: 'ember-image', idempotencyKey: crypto.randomUUID() };

      await expect(client.image('x', call)).rejects.toBeInstanceOf(NoAnswer);
      await client.image('x', call);
      await expect(client.image('y', { modelId: 'ember-image' })).rejects.toBeInstanceOf(BudgetExceeded);
      expect(await spent()).toBe(BigInt(each));
    });

    it('frees nothing for an answer of a proxy before the service', async () => {
      const each = await price();
      const client = byKey({
        tries: 1,
        budget: { total: each / 1e6 },
        fetch: async (input, init) => {
          const response = await fetch(input, init);
          return response.headers.has('x-charge-micro')
            ? new Response('Bad Gateway', { status: 502 })
            : response;
        },
      });

      await expect(client.image('x', { modelId: 'ember-image' })).rejects.toMatchObject({ status: 502 });
      await expect(client.image('x', { modelId: 'ember-image' })).rejects.toBeInstanceOf(BudgetExceeded);
      expect(await spent()).toBe(BigInt(each));
    });

    it('streams no more than it may, and counts what a stream has cost', async () => {
      const words = async (total: number): Promise<number> => {
        let cost = 0;
        const client = byKey({ budget: { total } });
        for (let time = 0; time < 2; time += 1)
          for await (const { charge } of client.stream('Hello.', { maxTokens: 20 }))
            cost += charge?.micro ?? 0;
        return cost;
      };

      await expect(words(0.000_001)).rejects.toBeInstanceOf(BudgetExceeded);
      expect(await spent()).toBe(0n);
      expect(BigInt(await words(1))).toBe(await spent());
    });

    it('buys the model that was named, at its price and no other', async () => {
      const [cheap, costly] = (await byKey().models()).models
        .filter(({ mode }) => mode === 't2i')
        .sort(
          (a, b) =>
            Math.min(...Object.values(a.pricing.priceMicro)) -
            Math.min(...Object.values(b.pricing.priceMicro)),
        );
      const before = await spent();
      const { charge } = await byKey().image('x', { model: cheap!.id });

      expect(charge.micro).toBe((await byKey().quote({ model: cheap!.id })).priceMicro);
      expect(charge.micro).toBeLessThan((await byKey().quote({ model: costly!.id })).priceMicro);
      expect((await spent()) - before).toBe(BigInt(charge.micro));
    });

    it('debits a picture that fails once, and refunds it once', async () => {
      await expect(byKey().image('x [[fail]]')).rejects.toBeInstanceOf(Error);
      await expectEventually(async () => (await spent()) === 0n);

      const charges = await world.db.rows<{ state: string }>('select state from charge where payer = $1', [
        caller.accountId,
      ]);
      expect(charges).toHaveLength(1);
      expect(['refunded', 'released']).toContain(charges[0]!.state);
    });

    it('counts what failed as not spent', async () => {
      const each = await price();
      const client = byKey({ budget: { total: each / 1e6 }, tries: 1 });

      await expect(client.image('x [[reject]]', { modelId: 'ember-image' })).rejects.toBeInstanceOf(
        LamppostError,
      );
      await client.image('x', { modelId: 'ember-image' });
      expect(await spent()).toBe(BigInt(each));
    });
  });

  it('signs for no more than a dollar by default', async () => {
    const film = { modelId: 'torch-video', duration: 8, resolution: '1080p' };
    const { priceMicro } = await byKey().quote(film);
    expect(priceMicro).toBeGreaterThan(1_000_000);
    const signTypedData = jest.spyOn(account, 'signTypedData');

    await expect(byWallet().video('waves', film)).rejects.toBeInstanceOf(BudgetExceeded);
    expect(signTypedData).not.toHaveBeenCalled();
    await byWallet().video('waves', { ...film, maxPriceMicro: priceMicro });
    await byWallet({ budget: { perCall: 5 } }).video('waves', film);
    expect(signTypedData).toHaveBeenCalledTimes(2);
  });

  it('tops up for no more than a dollar by default, and for no amount that nobody can top up', async () => {
    const signTypedData = jest.spyOn(account, 'signTypedData');

    await expect(byWallet().topUp(5)).rejects.toBeInstanceOf(BudgetExceeded);
    for (const usd of [5_000, 0.5, -1, Number.NaN])
      await expect(byWallet({ budget: { perCall: 10_000 } }).topUp(usd)).rejects.toBeInstanceOf(RangeError);
    expect(signTypedData).not.toHaveBeenCalled();
    await byWallet().topUp(1);
    await byWallet().topUp(5, { maxPriceMicro: 5_000_000 });
    expect((await byWallet().balance()).micro).toBe(6_000_000);
  });

  it('signs for no token but USDC and those in its options', async () => {
    const required = {
      x402Version: 2,
      resource: {},
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:8453',
          amount: '1',
          asset: `0x${'9'.repeat(40)}`,
          payTo: account.address,
          maxTimeoutSeconds: 60,
        },
      ],
    };
    const signTypedData = jest.spyOn(account, 'signTypedData');
    const stranger: typeof fetch = () =>
      Promise.resolve(
        new Response('{"error":{"code":"PAYMENT_REQUIRED","message":"pay"}}', {
          status: 402,
          headers: { 'payment-required': Buffer.from(JSON.stringify(required)).toString('base64') },
        }),
      );

    await expect(byWallet({ fetch: stranger }).chat('Hello.')).rejects.toMatchObject({ status: 402 });
    expect(signTypedData).not.toHaveBeenCalled();
  });

  it.each(['baseUrl', 'key', 'wallet', 'session'])(
    'says so when %s is a setting that nobody has made',
    (name) => {
      expect(() => new Lamppost({ baseUrl, [name]: undefined })).toThrow(`${name} is given, but undefined.`);
    },
  );

  it('stops when the signal aborts, also while it waits for the next try', async () => {
    const client = byKey({ fetch: () => Promise.reject(new Error('no network')) });

    await expect(client.chat('Hello.', { signal: AbortSignal.timeout(50) })).rejects.toThrow('aborted');
  });

  it('takes a signal in every call', async () => {
    const client = byKey();
    const options = { signal: AbortSignal.abort() };
    const { charge } = await client.chat('Hello.');
    const receipt = await client.receipts.get(charge.id);
    const { jobs, references, receipts, webhooks, keys, delegated, completions } = client;
    const calls: readonly Promise<unknown>[] = [
      client.models(options),
      client.quote({ modelId: 'ember-image' }, options),
      client.image('x', options),
      client.video('x', options),
      client.start('x', options),
      client.chat('x', options),
      client.stream('x', options).next(),
      client.events(options).next(),
      client.balance(options),
      byWallet().topUp(1, options),
      completions.create({ messages: [{ role: 'user', content: 'x' }] }, options),
      jobs.get('x', options),
      jobs.wait('x', options),
      jobs.list(options).next(),
      jobs.cancel('x', options),
      references.store('https://example.com/x.png', options),
      references.list(options),
      references.search('x', options),
      references.delete('x', options),
      receipts.get('x', options),
      receipts.verify(receipt, options),
      webhooks.list(options),
      webhooks.create({ url: 'https://example.com' }, options),
      webhooks.update('x', {}, options),
      webhooks.delete('x', options),
      webhooks.rotate('x', { overlapSeconds: 0 }, options),
      webhooks.test('x', options),
      webhooks.deliveries('x', options),
      webhooks.replay('x', 'y', options),
      keys.list(options),
      keys.create({ name: 'x', expiresInDays: 30 }, options),
      keys.update('x', {}, options),
      keys.delete('x', options),
      delegated.create({ limitMicro: 1, expiresInSeconds: 60 }, options),
      delegated.list(options),
      delegated.delete('x', options),
    ];
    const outcomes = await Promise.allSettled(calls);

    expect(
      outcomes.map((one) => (one.status === 'rejected' ? (one.reason as Error).name : one.value)),
    ).toEqual(outcomes.map(() => 'AbortError'));
  });

  describe('through a network that breaks at random', () => {
    let network: TornNetwork;

    beforeEach(async () => {
      network = await TornNetwork.to(baseUrl);
    });
    afterEach(() => network.stop());

    /** Repeats a call with the same idempotency key until there is an answer. */
    const insist = async (client: Lamppost, text: string): Promise<string> => {
      const idempotencyKey = crypto.randomUUID();
      for (;;) {
        try {
          return (await client.chat(text, { idempotencyKey })).charge.id;
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error;
        }
      }
    };

    const callOften = async (client: Lamppost, times: number): Promise<string[]> => {
      const ids: string[] = [];
      let started = 0;
      const one = async (): Promise<void> => {
        while (started < times) ids.push(await insist(client, `Call ${(started += 1)}.`));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
      return ids;
    };

    const expectEachOnce = async (ids: readonly string[], payer: string): Promise<void> => {
      const charged = await world.db.rows<{ id: string }>(
        `select id from charge where payer = $1 and state = 'charged'`,
        [payer],
      );
      expect(new Set(ids).size).toBe(ids.length);
      expect(charged).toHaveLength(ids.length);
      expect(Math.min(...Object.values(network.struck))).toBeGreaterThan(0);
      expect(network.harm).toBeGreaterThan(HARM_MIN);
    };

    it(`each of ${CALLS} calls by key is answered, and charged once`, async () => {
      const ids = await callOften(byKey({ baseUrl: network.url }), CALLS);
      await expectEachOnce(ids, caller.accountId);
    });

    it('each of 100 payments in USDC is made once', async () => {
      const ids = await callOften(byWallet({ baseUrl: network.url }), 100);
      await expectEachOnce(ids, account.address.toLowerCase());
    });
  });
});
