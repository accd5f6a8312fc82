import { decodePaymentResponseHeader } from '@x402/core/http';
import { Challenge, Credential, Receipt } from 'mppx';
import { Mppx, evm } from 'mppx/client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

import { type ChannelStage, PAY_TO, channelStage } from '../channels/channel-world';
import type { Answer } from '../support/world';
import { World } from '../support/world';

const URL = '/v1/agent/chat';
const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
const OTHER = { messages: [{ role: 'user', content: 'something else' }], max_tokens: 16 };
const PRICE = 2_000n;
const STRANGER = '0x000000000000000000000000000000000000dEaD';

type Terms = {
  amount: string;
  currency: string;
  recipient: string;
  methodDetails: { chainId: number };
};
type Asked = Omit<Challenge.Challenge, 'request'> & { request: Terms };

describe('paying by a charge of MPP', () => {
  let stage: ChannelStage;
  let second: World;

  beforeAll(async () => {
    stage = await channelStage();
    second = await World.start({ ...stage.settings, DATABASE_URL: stage.world.settings.databaseUrl! });
  });

  afterEach(() => stage.world.expectBooksToBalance());
  afterAll(async () => {
    await second.stop();
    await stage.stop();
  });

  const funded = async (amount = 1_000_000n) => {
    const account = privateKeyToAccount(generatePrivateKey());
    await stage.chain.usdc.mint(account.address, amount);
    return account;
  };
  type Account = Awaited<ReturnType<typeof funded>>;
  const methodOf = (account: Account) =>
    evm.charge({ account, authorization: { name: 'USD Coin', version: '2' }, maxAtomicAmount: '1000000' });
  const received = () => stage.chain.usdc.balanceOf(PAY_TO);
  const asking = async (body: object = CHAT): Promise<Asked> => {
    const { status, headers } = await stage.world.post(URL, body);
    expect(status).toBe(402);
    return Challenge.deserialize(headers['www-authenticate']!) as unknown as Asked;
  };
  /** The credential of the stock client for a challenge, which a test may have changed. */
  const answering = async (account: Account, challenge: Asked): Promise<string> =>
    methodOf(account).createCredential({ challenge: challenge as never, context: {} });
  const send = (credential: string, body: object = CHAT, world = stage.world): Promise<Answer> =>
    world.post(URL, body, { authorization: credential });
  const chargesOf = async ({ address }: Account) =>
    stage.world.db.rows<{ state: string; rail: string }>('select state, rail from charge where payer = $1', [
      address.toLowerCase(),
    ]);

  it('offers the first requirement of x402 once more, as a challenge', async () => {
    const asked = await asking();

    expect(asked).toMatchObject({
      realm: new globalThis.URL(stage.url).host,
      method: 'evm',
      intent: 'charge',
      request: {
        amount: PRICE.toString(),
        recipient: PAY_TO,
        methodDetails: { chainId: 8453, credentialTypes: ['authorization'], decimals: 6 },
      },
    });
    expect(new Date(asked.expires!).getTime()).toBeGreaterThan(Date.now());
    expect((await asking()).id).not.toBe(asked.id);
  });

  it.each([
    ['/v1/agent/chat', CHAT, 200],
    ['/v1/agent/generate', { prompt: 'a red fox' }, 200],
    ['/v1/agent/images/generations', { prompt: 'a red fox' }, 200],
    ['/v1/agent/videos', { prompt: 'waves', seconds: '4' }, 200],
    ['/v1/agent/x402/top-up?usd=1', {}, 200],
  ] as const)(
    'leaves the stock client with its default settings to pay %s by x402',
    async (path, body, status) => {
      const account = await funded(20_000_000n);
      const { fetch: pay } = Mppx.create({ methods: [evm.charge({ account })], polyfill: false });

      const answer = await pay(`${stage.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

      expect([answer.status, answer.headers.get('x-charge-state')]).toEqual([status, 'charged']);
      expect(decodePaymentResponseHeader(answer.headers.get('payment-response')!).success).toBe(true);
    },
  );

  it.each([
    [undefined, true],
    ['evm/charge', false],
    ['tempo/charge, evm/charge', false],
    ['evm/charge;q=0.9', true],
    ['tempo/charge', true],
    ['not evm/charges', true],
  ])('offers a challenge to a client that prefers %s: %s', async (preference, isOffered) => {
    const { headers } = await stage.world.post(
      URL,
      CHAT,
      preference === undefined ? {} : { 'accept-payment': preference },
    );

    expect(headers['www-authenticate'] !== undefined).toBe(isOffered);
    expect(headers['payment-required']).toBeDefined();
  });

  it('the stock client of mppx pays exactly the price, and reads its receipt', async () => {
    const account = await funded();
    const before = await received();
    const { fetch: pay } = Mppx.create({
      methods: [methodOf(account)],
      paymentPreferences: { 'evm/charge': 0.9 }, // A weight asks for the challenge.
      polyfill: false,
    });

    const answer = await pay(`${stage.url}${URL}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(CHAT),
    });

    expect(answer.status).toBe(200);
    expect(await received()).toBe(before + PRICE);
    expect(await stage.chain.usdc.balanceOf(account.address)).toBe(1_000_000n - PRICE);
    const receipt = Receipt.fromResponse(answer);
    expect(receipt).toMatchObject({ method: 'evm', status: 'success' });
    const paid = decodePaymentResponseHeader(answer.headers.get('payment-response')!);
    expect(paid.transaction).toBe(receipt.reference);
    const { body } = await stage.world.get(`/v1/agent/charges/${answer.headers.get('x-charge-id')}`);
    expect(body).toMatchObject({ rail: 'x402', network: 'eip155:8453', transaction: receipt.reference });
    expect(await chargesOf(account)).toEqual([{ state: 'charged', rail: 'x402' }]);
  });

  it('gives the same answer to the same credential, and takes the money once', async () => {
    const account = await funded();
    const before = await received();
    const credential = await answering(account, await asking());

    const first = await send(credential);
    const again = await send(credential);

    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const [receipt, repeated] = [first, again].map(({ headers }) =>
      Receipt.deserialize(headers['payment-receipt']!),
    );
    expect(repeated!.reference).toBe(receipt!.reference);
    expect(await received()).toBe(before + PRICE);
    expect(await chargesOf(account)).toHaveLength(1);
  });

  it('takes the money once when two processes get a credential at the same moment', async () => {
    const account = await funded();
    const before = await received();
    const credential = await answering(account, await asking());

    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => send(credential, CHAT, at % 2 ? stage.world : second)),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await received()).toBe(before + PRICE);
    expect(await chargesOf(account)).toHaveLength(1);
  });

  it('refuses a credential for another call', async () => {
    const account = await funded();
    const before = await received();
    const credential = await answering(account, await asking());

    const answer = await send(credential, OTHER);

    expect(answer.status).toBe(402);
    expect(answer.body.error.code).toBe('INVALID_PAYMENT');
    expect(Challenge.deserialize(answer.headers['www-authenticate']!).id).not.toBe(
      Credential.deserialize(credential).challenge.id,
    );
    await send(credential);
    expect((await send(credential, OTHER)).status).toBe(402);
    expect(await received()).toBe(before + PRICE);
  });

  const changed = (asked: Asked, request: Partial<Terms>): Asked => ({
    ...asked,
    request: { ...asked.request, ...request },
  });
  const inThePast = () => new Date(Date.now() - 60_000).toISOString();
  it.each<readonly [string, (asked: Asked) => Asked]>([
    ['a smaller amount', (asked) => changed(asked, { amount: '1' })],
    ['a larger amount', (asked) => changed(asked, { amount: '2001' })],
    ['another recipient', (asked) => changed(asked, { recipient: STRANGER })],
    ['another token', (asked) => changed(asked, { currency: STRANGER })],
    [
      'another chain',
      (asked) => changed(asked, { methodDetails: { ...asked.request.methodDetails, chainId: 137 } }),
    ],
    ['an expired challenge', (asked) => ({ ...asked, expires: inThePast() })],
    [
      'a validity of two days',
      (asked) => ({ ...asked, expires: new Date(Date.now() + 172_800_000).toISOString() }),
    ],
    ['the realm of another service', (asked) => ({ ...asked, realm: 'elsewhere.example' })],
    ['an id of its own', (asked) => ({ ...asked, id: 'an-id-that-nobody-has-made' })],
    [
      'a quote that is not sealed',
      (asked) => ({ ...asked, id: asked.id.replace(/.$/, (end) => (end === 'A' ? 'Q' : 'A')) }),
    ],
  ])('refuses %s, even when it is signed', async (_, change) => {
    const account = await funded();
    const asked = await asking();
    const method = evm.charge({ account, authorization: { name: 'USD Coin', version: '2' } });
    const credential = await method.createCredential({ challenge: change(asked) as never, context: {} });

    const answer = await send(credential);

    expect(answer.status).toBe(402);
    expect(answer.body.error.code).toBe('INVALID_PAYMENT');
    expect(await chargesOf(account)).toEqual([]);
    expect(await stage.chain.usdc.balanceOf(account.address)).toBe(1_000_000n);
  });

  it('refuses a credential whose challenge was swapped after the signature', async () => {
    const account = await funded();
    const [costly, cheap] = [await asking(), await asking()];
    const { payload, source } = Credential.deserialize(await answering(account, cheap));

    const swapped = await send(
      Credential.serialize({ challenge: costly as never, payload, ...(source && { source }) }),
    );
    const stolen = await send(
      Credential.serialize({
        challenge: cheap as never,
        payload,
        source: `did:pkh:eip155:8453:${STRANGER}`,
      }),
    );

    expect([swapped.status, stolen.status]).toEqual([402, 402]);
    expect(await chargesOf(account)).toEqual([]);
  });

  it.each(['Payment', 'Payment !!!', 'Payment e30', `Payment ${'A'.repeat(41_000)}`])(
    'answers a malformed credential with a new challenge: %#',
    async (credential) => {
      const answer = await send(credential);

      expect([answer.status, answer.body.error.code]).toEqual([402, 'INVALID_PAYMENT']);
      expect(answer.headers['www-authenticate']).toContain('Payment id="');
    },
  );

  it('refuses a wallet without the money before the work, and pays nothing', async () => {
    const account = await funded(PRICE - 1n);

    const answer = await send(await answering(account, await asking()));

    expect([answer.status, answer.body.error.code]).toEqual([402, 'INSUFFICIENT_FUNDS']);
    expect(answer.headers['payment-receipt']).toBeUndefined();
    expect(await stage.chain.usdc.balanceOf(account.address)).toBe(PRICE - 1n);
  });

  it('tops up the balance of a wallet, like any payment by call', async () => {
    const account = await funded(5_000_000n);
    const path = '/v1/agent/x402/top-up?usd=2';
    const asked = await stage.world.send({ method: 'POST', url: path });
    const challenge = Challenge.deserialize(asked.headers['www-authenticate']!);
    const method = evm.charge({ account, authorization: { name: 'USD Coin', version: '2' } });
    const credential = await method.createCredential({ challenge: challenge as never, context: {} });

    const paid = await stage.world.send({
      method: 'POST',
      url: path,
      headers: { authorization: credential },
    });

    expect([paid.status, paid.body.balanceMicro]).toEqual([200, 2_000_000]);
    expect(Receipt.deserialize(paid.headers['payment-receipt']!).status).toBe('success');
  });
});
