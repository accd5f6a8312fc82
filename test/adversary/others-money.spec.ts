import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { MediaIntake } from '#platform/media/media-intake';
import { ContentPolicy } from '#models/providers/policy/content-policy';
import { callersOf, sandboxRails, signedPayment } from '../contract/rail-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEnvelope } from '../support/envelope';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';
import { picture, pictureUri } from '../references/library-callers';

const GENERATE = '/v1/agent/generate';

/** An attacker without money who wants work from our machine, our network or our vendors. */
describe('work of ours that nobody pays', () => {
  let world: World;
  let host: Server;
  let at: string;
  let fetches: number;
  let bytes: Buffer;

  beforeAll(async () => {
    bytes = await picture('red');
    host = createServer((_request, response) => {
      fetches += 1;
      response.setHeader('content-type', 'image/png').end(bytes);
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    at = `127.0.0.1:${(host.address() as AddressInfo).port}`;
    world = await World.start({ FETCH_ALLOW_HOSTS: at });
  });
  beforeEach(() => {
    fetches = 0;
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await world.expectBooksToBalance();
    expect(await world.db.rows(`select id from job`)).toEqual([]);
  });
  afterAll(async () => {
    await world.stop();
    host.close();
  });

  const edit = (more: object = {}) => ({
    modelId: 'ember-edit',
    prompt: 'the same, in blue',
    image: `http://${at}/a.png`,
    ...more,
  });
  const spies = () => {
    const policy = world.app.get(ContentPolicy, { strict: false });
    return [
      jest.spyOn(world.app.get(MediaIntake, { strict: false }), 'take'),
      jest.spyOn(policy, 'screenImage'),
      jest.spyOn(policy, 'screenText'),
    ];
  };
  const expectNothingDone = (watched: ReturnType<typeof spies>): void => {
    expect(fetches).toBe(0);
    for (const spy of watched) expect(spy).not.toHaveBeenCalled();
  };

  describe.each(sandboxRails().map((rail) => [rail, callersOf(rail)] as const))(
    'on the %s rail, without money',
    (rail, fixture) => {
      it.each([
        ['an address', () => Promise.resolve(edit())],
        ['a data URI', async () => edit({ image: await pictureUri() })],
        ['references', () => Promise.resolve(edit({ image: undefined, useReferences: true }))],
        ['a dry run', async () => edit({ image: await pictureUri(), dryRun: true })],
      ])('fetches, decodes and screens nothing: %s', async (what, make) => {
        // This route also needs a sign-in, which the row of the wallet tests.
        if (rail === 'x402' && what === 'references') return;
        const caller = await fixture.caller(world, 1n);
        const body = await make();
        const credential = await caller.credential(body, undefined, GENERATE);
        const watched = spies();

        const answer: Answer = await world.post(GENERATE, body, credential);

        expectEnvelope(answer, { status: 402, code: 'INSUFFICIENT_FUNDS' });
        expectNothingDone(watched);
      });
    },
  );

  it('is not done for a key that may spend no more, whatever its account holds', async () => {
    const { key } = await KeyCaller.register(world, 50_000_000n, { spendLimitMicro: 1 });
    const watched = spies();

    const answer = await world.post(GENERATE, edit(), { 'x-api-key': key });

    expectEnvelope(answer, { status: 402, code: 'KEY_SPEND_LIMIT' });
    expectNothingDone(watched);
  });

  it('is not done for a payment whose nonce was cancelled', async () => {
    const wallet = new WalletCaller();
    const payment = await signedPayment(world, wallet, edit(), { url: GENERATE });
    const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString()) as {
      payload: { authorization: { nonce: string } };
    };
    await world.db.rows(
      `insert into sandbox_authorization (payer, nonce, outcome) values ($1, decode($2, 'hex'), 'cancelled')`,
      [wallet.wallet.toLowerCase(), payload.authorization.nonce.slice(2)],
    );
    const watched = spies();

    const answer = await world.post(GENERATE, edit(), { 'payment-signature': payment });

    expectEnvelope(answer, { status: 402, code: 'INVALID_PAYMENT' });
    expectNothingDone(watched);
  });

  it.each([
    ['not a url', 'INVALID_REQUEST'],
    ['file:///etc/passwd', 'MEDIA_UNREACHABLE'],
    ['https://169.254.169.254/latest/meta-data', 'MEDIA_UNREACHABLE'],
    ['data:image/png,no-base64', 'INVALID_REQUEST'],
    [`data:image/png;base64,${'*'.repeat(100)}`, 'INVALID_REQUEST'],
    [`data:image/png;base64,${'*'.repeat(100_000)}`, 'INVALID_REQUEST'],
  ])('is not sold either where it cannot be done: %.40s', async (image, code) => {
    const { key } = await KeyCaller.register(world, 50_000_000n);

    const credentials: readonly Readonly<Record<string, string>>[] = [
      {},
      { 'x-api-key': key },
      { 'payment-signature': 'nonsense' },
    ];
    for (const headers of credentials) {
      expectEnvelope(await world.post(GENERATE, edit({ image }), headers), {
        status: 400,
        code,
        param: 'image',
      });
    }
    expect(fetches).toBe(0);
  });
});

/** An attacker who wants to store data without ever paying. */
describe('references of those who have never paid', () => {
  let world: World;
  let host: Server;
  let at: string;
  let fetches: number;

  beforeAll(async () => {
    host = createServer((_request, response) => {
      fetches += 1;
      void picture('blue').then((image) => response.setHeader('content-type', 'image/png').end(image));
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    at = `127.0.0.1:${(host.address() as AddressInfo).port}`;
  });
  beforeEach(async () => {
    fetches = 0;
    world = await World.start({ FETCH_ALLOW_HOSTS: at });
  });
  afterEach(async () => {
    await world.expectBooksToBalance();
    await world.stop();
  });
  afterAll(() => host.close());

  const store = async (wallet: WalletCaller, media: string, remoteAddress: string): Promise<Answer> =>
    world.send({
      method: 'POST',
      url: '/v1/agent/references',
      remoteAddress,
      headers: { 'content-type': 'application/json', 'sign-in-with-x': await wallet.signIn(world) },
      payload: JSON.stringify({ media }),
    });
  const kept = async (): Promise<number> =>
    Number((await world.db.one<{ count: string }>('select count(*) from reference'))?.count);

  it('are five of an owner, from as many addresses as it likes', async () => {
    const wallet = new WalletCaller();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => store(wallet, `http://${at}/${n}.png`, `203.0.113.${n}`)),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = answers.find(({ status }) => status !== 201);
    expectEnvelope(refused!, { status: 402, code: 'INSUFFICIENT_FUNDS' });
    expect(refused!.body.topUp).toContain('/account/billing');
    expect(await kept()).toBe(5);
    fetches = 0;
    expect((await store(wallet, `http://${at}/more.png`, '203.0.113.99')).status).toBe(402);
    expect(fetches).toBe(0);
  });

  it('are five of an address, for as many wallets as it makes', async () => {
    const answers: Answer[] = [];
    for (let n = 0; n < 9; n += 1) {
      answers.push(await store(new WalletCaller(), `http://${at}/${n}.png`, `2001:db8:1:2::${n}`));
    }

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 402, 402, 402, 402]);
    expect(fetches).toBe(5);
    expect((await store(new WalletCaller(), await pictureUri(), '2001:db8:1:3::1')).status).toBe(201);
  });

  it('are of a megabyte at most, however they come', async () => {
    const wallet = new WalletCaller();
    const large = Buffer.concat([await picture('red'), Buffer.alloc(1_100_000)]);
    const serve = (_: unknown, response: { end: (bytes: Buffer) => void }) => response.end(large);
    host.removeAllListeners('request').on('request', serve);

    const uri = await store(wallet, `data:image/png;base64,${large.toString('base64')}`, '203.0.113.1');
    const address = await store(wallet, `http://${at}/large.png`, '203.0.113.1');

    for (const answer of [uri, address]) expectEnvelope(answer, { status: 402, code: 'INSUFFICIENT_FUNDS' });
    await wallet.fund(world, 2_000n);
    expect((await store(wallet, `http://${at}/large.png`, '203.0.113.1')).status).not.toBe(402);
  });

  it('are gone after a day, but for those whose owner has paid meanwhile', async () => {
    const [poor, rich] = [new WalletCaller(), new WalletCaller()];
    for (const wallet of [poor, rich]) {
      expect((await store(wallet, await pictureUri(), '203.0.113.1')).status).toBe(201);
    }
    await rich.fund(world, 2_000n);

    await world.db.rows(`update reference set free_until = now() - interval '1 second'`);
    await expectEventually(
      async () => (await world.db.rows('select from reference where free_until is not null')).length === 0,
    );

    const left = await world.db.rows<{ owner: string }>('select owner from reference');
    expect(left.map(({ owner }) => owner)).toEqual([rich.wallet.toLowerCase()]);
    expect(await world.db.rows('select from reference_free')).toEqual([]);
    await expectEventually(async () => (await world.db.rows('select from reference_trash')).length === 0);
  });

  it('leave room again when they are deleted', async () => {
    const wallet = new WalletCaller();
    const stored = [];
    for (let n = 0; n < 5; n += 1) stored.push(await store(wallet, await pictureUri(), '203.0.113.1'));
    expect((await store(wallet, await pictureUri(), '203.0.113.1')).status).toBe(402);

    await world.send({
      method: 'DELETE',
      url: `/v1/agent/references/${stored[0]!.body.asset.id}`,
      headers: { 'sign-in-with-x': await wallet.signIn(world) },
    });

    expect((await store(wallet, await pictureUri(), '203.0.113.1')).status).toBe(201);
  });
});
