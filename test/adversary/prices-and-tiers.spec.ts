import { signAuthorization } from '../../tools/chain/test-usdc';
import { CHAT_URL, signedPayment } from '../contract/rail-callers';
import { WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { McpCaller } from '../support/mcp';
import { type Answer, World } from '../support/world';

const TOP_UP = '/v1/agent/x402/top-up';

/** Expensive enough that a discount changes the price. */
const costly = (words = 'hello') => ({
  model: 'lumen-ultra',
  messages: [{ role: 'user', content: words }],
  max_tokens: 4_096,
});

interface Offer {
  readonly amount: string;
  readonly payTo: `0x${string}`;
  readonly extra: Readonly<Record<string, string>>;
}

const offerIn = ({ headers }: Answer): Offer =>
  (JSON.parse(Buffer.from(headers['payment-required'] ?? '', 'base64').toString()) as { accepts: [Offer] })
    .accepts[0];

/** The header with which this wallet pays an offer, which may have been made to another wallet. */
const accepting = async ({ privateKey }: WalletCaller, offer: Offer, version = 2): Promise<string> => {
  const { authorization, signature } = await signAuthorization(privateKey, {
    to: offer.payTo,
    value: BigInt(offer.amount),
  });
  const fields = Object.entries(authorization).map(([name, value]) => [name, String(value)]);
  const payload = { signature, authorization: Object.fromEntries(fields) as object };
  const payment =
    version === 1
      ? { x402Version: 1, scheme: 'exact', network: 'base', payload }
      : { x402Version: 2, accepted: offer, payload };
  return Buffer.from(JSON.stringify(payment)).toString('base64');
};

describe('somebody who wants a price that is not its own', () => {
  let world: World;
  let loyal: WalletCaller;
  let url: string;

  const pay = (wallet: WalletCaller, address: string, body: object): Promise<Answer> =>
    signedPayment(world, wallet, body, { url: address }).then((payment) =>
      world.post(address, body, { 'payment-signature': payment }),
    );

  const send = (header: string, body: object, more: object = {}): Promise<Answer> =>
    world.post(CHAT_URL, body, { 'payment-signature': header, ...more });

  /** The 402 for a wallet that signs in and has spent its balance. */
  const signedInOffer = async (body: object): Promise<Offer> => {
    const answer = await world.post(CHAT_URL, body, { 'sign-in-with-x': await loyal.signIn(world) });
    expect(answer.body.error.code).toBe('INSUFFICIENT_FUNDS');
    return offerIn(answer);
  };

  const listPrice = async (body: object): Promise<bigint> =>
    BigInt(offerIn(await world.post(CHAT_URL, body)).amount);

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
    loyal = new WalletCaller();
    for (let n = 0; n < 3; n += 1) await pay(loyal, `${TOP_UP}?usd=500`, {});
    // A key reserves the whole balance, so the wallet's own calls are refused.
    const resource = `${world.settings.http.publicUrl}/v1/agent/keys`;
    const all = { limitMicro: 1_500_000_000, expiresInSeconds: 3_600, reserve: true };
    const signed = { 'sign-in-with-x': await loyal.signIn(world, { resource }) };
    expect((await world.post('/v1/agent/keys', all, signed)).status).toBe(201);
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(() => world.stop());

  it('cannot pay the discount that was offered to another, which can', async () => {
    const body = costly('one');
    const offer = await signedInOffer(body);
    const stranger = new WalletCaller();

    const stolen = await send(await accepting(stranger, offer), body);
    const own = await send(await accepting(loyal, offer), body);

    expect(BigInt(offer.amount)).toBeLessThan(await listPrice(body));
    expect([stolen.status, stolen.body.error.code]).toEqual([402, 'INVALID_PAYMENT']);
    expect(BigInt(offerIn(stolen).amount)).toBe(await listPrice(body));
    expect([own.status, own.headers['x-charge-micro']]).toEqual([200, offer.amount]);
    const receipt = await world.get(`/v1/agent/charges/${own.headers['x-charge-id']}`);
    expect(receipt.body.discountPercent).toBe(10);
  });

  it.each([
    ['the first version', 1, {}],
    ['a sign-in of the other that it has seen', 2, { signedIn: true }],
  ])('cannot by %s', async (_, version, { signedIn }: { signedIn?: boolean }) => {
    const body = costly(`by ${version}`);
    const offer = await signedInOffer(body);
    const more = signedIn === true ? { 'sign-in-with-x': await loyal.signIn(world) } : {};

    const answer = await send(await accepting(new WalletCaller(), offer, version), body, more);

    expect(answer.body.error.code).toBe('INVALID_PAYMENT');
  });

  it('cannot by naming the other, in the call or in a quote', async () => {
    const body = { ...costly('named'), payer: loyal.wallet };
    const offer = offerIn(await world.post(CHAT_URL, body));
    const quote = await world.post('/v1/agent/quote', {
      ...costly('named'),
      payer: loyal.wallet,
    });
    const stranger = new WalletCaller();

    const named = await send(await accepting(stranger, offer), body);
    const quoted = await send(await accepting(stranger, { ...offer, extra: {} }), {
      ...costly('named'),
      quoteId: quote.body.quoteId,
    });

    expect(named.body.error.code).toBe('INVALID_PAYMENT');
    expect([402, 409]).toContain(quoted.status);
  });

  it('cannot carry the seal of a cheap call to a dear one', async () => {
    const cheap = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
    const offer = offerIn(await world.post(CHAT_URL, cheap));

    const answer = await send(await accepting(new WalletCaller(), offer), costly());

    expect(answer.body.error.code).toBe('INVALID_PAYMENT');
  });

  it('is credited what it has paid, whichever amount the address names', async () => {
    const wallet = new WalletCaller();
    const five = await signedPayment(world, wallet, {}, { url: `${TOP_UP}?usd=5` });

    const answer = await world.post(`${TOP_UP}?usd=500`, {}, { 'payment-signature': five });
    const own = await world.post(`${TOP_UP}?usd=5`, {}, { 'payment-signature': five });
    const again = await world.post(`${TOP_UP}?usd=500`, {}, { 'payment-signature': five });

    expect([answer.status, own.status, again.status]).toEqual([402, 200, 402]);
    expect(own.body.balanceMicro).toBe(5_000_000);
    const { body } = await world.get(`/v1/agent/x402/balance/${wallet.wallet}`);
    expect(body.balanceMicro).toBe(5_000_000);
  });

  it('gets one answer to one mark only for one address, its query included', async () => {
    const wallet = new WalletCaller();
    const mark = { 'idempotency-key': 'a-mark-for-two-amounts' };
    const sendWith = async (usd: number): Promise<Answer> => {
      const address = `${TOP_UP}?usd=${usd}`;
      const payment = await signedPayment(world, wallet, {}, { url: address });
      return world.post(address, {}, { 'payment-signature': payment, ...mark });
    };

    const [first, second] = [await sendWith(5), await sendWith(6)];

    expect([first.status, second.status]).toEqual([200, 422]);
  });

  it('does not use its payment up, or anything else, by dry runs', async () => {
    const body = { ...costly('dry'), dryRun: true };
    const payment = await signedPayment(world, new WalletCaller(), body);

    const runs = [await send(payment, body), await send(payment, body)];

    expect(runs.map(({ status, body: { dryRun } }) => [status, dryRun])).toEqual([
      [200, true],
      [200, true],
    ]);
    expect(await world.db.rows(`select from charge where state <> 'charged'`)).toEqual([]);
  });

  it('pays one tool with one payment, at whichever address it is shown', async () => {
    const wallet = new WalletCaller();
    const body = { messages: [{ role: 'user', content: 'through two routes' }], max_tokens: 16 };
    const payment = await signedPayment(world, wallet, body);
    const opened = JSON.parse(Buffer.from(payment, 'base64').toString('utf8')) as unknown;
    const mcp = await McpCaller.connect(url);
    const outer = await McpCaller.connect(url, { 'payment-signature': payment });

    const byTool = await mcp.call('chat', body, { 'x402/payment': opened });
    const results = [
      await mcp.call('chat', { ...body, max_tokens: 17 }, { 'x402/payment': opened }),
      await outer.call('chat', { ...body, max_tokens: 18 }),
      await outer.call('generate_image', { prompt: 'a fox' }),
    ];
    const byRest = await send(payment, { ...body, max_tokens: 19 });
    await Promise.all([mcp.close(), outer.close()]);

    expect(byTool.isError).not.toBe(true);
    expect(results.map(({ isError }) => isError)).toEqual([true, true, true]);
    expect(byRest.status).toBe(402);
    const rows = await world.db.rows(`select from charge where payer = $1 and state <> 'released'`, [
      wallet.wallet.toLowerCase(),
    ]);
    expect(rows).toHaveLength(1);
  });

  it('does not pay with the headers of both versions at once', async () => {
    const body = costly('both');
    const offer = offerIn(await world.post(CHAT_URL, body));
    const [one, other] = [new WalletCaller(), new WalletCaller()];

    const answer = await send(await accepting(one, offer), body, {
      'x-payment': await accepting(other, offer, 1),
    });

    const rows = await world.db.rows<{ payer: string }>(`select payer from charge where payer = any($1)`, [
      [one.wallet.toLowerCase(), other.wallet.toLowerCase()],
    ]);
    expect([answer.status, rows]).toEqual([200, [{ payer: one.wallet.toLowerCase() }]]);
  });

  it('does not get the answer of another by its identifier', async () => {
    const body = costly('identified');
    const paymentId = 'an-identifier-that-two-wallets-use';
    const [one, other] = [new WalletCaller(), new WalletCaller()];
    const first = await send(await signedPayment(world, one, body, { paymentId }), body);

    const second = await send(await signedPayment(world, other, body, { paymentId }), body);

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.headers['idempotent-replayed']).toBeUndefined();
    expect(second.headers['x-charge-id']).not.toBe(first.headers['x-charge-id']);
  });

  it('gets a released charge when the money did not move', async () => {
    const wallet = new WalletCaller();
    const body = { messages: [{ role: 'user', content: 'wait [[delay 1s]]' }], max_tokens: 16 };
    const row = [wallet.wallet.toLowerCase()];
    await world.db.rows('insert into sandbox_wallet (wallet, balance_micro) values ($1, 1000000)', row);
    const answer = send(await signedPayment(world, wallet, body), body);
    await expectEventually(
      async () =>
        (await world.db.rows(`select from charge where payer = $1 and state = 'held'`, row)).length === 1,
    );

    await world.db.rows('update sandbox_wallet set balance_micro = 0 where wallet = $1', row);

    const { status, headers } = await answer;
    expect([status, headers['x-charge-state']]).toEqual([402, 'released']);
  });
});
