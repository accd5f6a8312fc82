import { x402Client } from '@x402/core/client';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm';
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client';
import { wrapFetchWithPayment } from '@x402/fetch';
import { toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { walletAccount } from '#money/billing/ledger/account-id';
import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { ChannelRecovery } from '#money/billing/rails/channel/channel-recovery';
import { Facilitators } from '#money/billing/rails/x402/facilitators/facilitators';
import { X402Recovery, chainsToSearch } from '#money/billing/rails/x402/after-restore/x402-recovery';
import { ReconciliationProcessor } from '#money/billing/sweeps/reconciliation.processor';
import { OUTSIDE_CHECKS } from '#faces/doctor/outside-checks';
import { readSettings } from '../../src/settings';
import { freePort } from '../../tools/chain/free-port';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { USDC_ADDRESS } from '../../tools/chain/test-usdc';
import { World } from '../support/world';
import { decodeHeader, encodeHeader } from './x402-world';

const BASE = 'eip155:8453';
const POLYGON = 'eip155:137';
const PAYEES = {
  [BASE]: '0x000000000000000000000000000000000000bEEF',
  [POLYGON]: '0x000000000000000000000000000000000000cafE',
} as const;
type Name = keyof typeof PAYEES;
/** The test token has the address of Base's USDC on both chains. */
const ALLOWED = [{ network: POLYGON, asset: USDC_ADDRESS }] as const;

const ADMIN_TOKEN = 'an-admin-token-for-the-networks-0123456789';
const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
const URL = '/v1/agent/chat';
const send = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(CHAT) };

interface Offer {
  readonly scheme: string;
  readonly network: string;
  readonly payTo: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

describe('several networks', () => {
  let chains: Readonly<Record<Name, LocalChain>>;
  let world: World;
  let url: string;

  const listed = (more: Readonly<Partial<Record<Name, object>>> = {}) =>
    JSON.stringify(
      ([BASE, POLYGON] as const).map((network) => ({
        network,
        asset: USDC_ADDRESS,
        payTo: PAYEES[network],
        facilitator: 'local',
        rpcUrl: chains[network].rpcUrl,
        finality: 2,
        ...more[network],
      })),
    );
  const settings = () => ({
    X402_NETWORKS: listed(),
    X402_RELAYER_KEY: chains[BASE].accounts[0]!.privateKey,
    X402_CHANNEL_WITHDRAW_SECONDS: '900',
    ADMIN_TOKEN,
  });

  beforeAll(async () => {
    const [base, polygon] = [await startLocalChain(), await startLocalChain({ chainId: 137 })];
    chains = { [BASE]: base, [POLYGON]: polygon };
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}`, ...settings() });
    url = await world.listen(port);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await Promise.all(Object.values(chains).map((chain) => chain.stop()));
  });

  const wallet = () => privateKeyToAccount(generatePrivateKey());
  const received = (network: Name) => chains[network].usdc.balanceOf(PAYEES[network]);
  const exactOn = (account: ReturnType<typeof wallet>, ...networks: readonly Name[]) => {
    const client = new x402Client().setSpendControls({
      maxAmountPerPayment: '$100',
      allowedAssets: [...ALLOWED],
    });
    for (const network of networks) client.register(network, new ExactEvmScheme(account));
    return client;
  };
  /** The stock client with channels on Polygon only. */
  const byChannel = (account: ReturnType<typeof wallet>) => {
    const scheme = new BatchSettlementEvmScheme({
      address: account.address,
      signTypedData: (message: never) => account.signTypedData(message),
      readContract: (args: never) => chains[POLYGON].client.readContract(args),
    } as never);
    const client = new x402Client().register(POLYGON, scheme);
    client.setSpendControls({ maxAmountPerPayment: '$100', allowedAssets: [...ALLOWED] });
    return wrapFetchWithPayment(fetch, client);
  };
  const offersOf = async (): Promise<readonly Offer[]> => {
    const answer = await world.post(URL, CHAT);
    return (decodeHeader(answer.headers['payment-required']) as never as { accepts: Offer[] }).accepts;
  };

  it('are offered at once, the default first, each with a quote and a receiver of its own', async () => {
    const offers = await offersOf();

    expect(offers.map(({ scheme, network }) => `${scheme} ${network}`)).toEqual([
      `exact ${BASE}`,
      `exact ${POLYGON}`,
      `batch-settlement ${BASE}`,
      `batch-settlement ${POLYGON}`,
    ]);
    expect(offers.map(({ payTo }) => payTo)).toEqual([
      PAYEES[BASE],
      PAYEES[POLYGON],
      PAYEES[BASE],
      PAYEES[POLYGON],
    ]);
    expect(offers[0]!.extra['quote']).not.toBe(offers[1]!.extra['quote']);
    const { body } = await world.get('/v1/agent/manifest.json');
    expect(body.networks.map(({ network }: Offer) => network)).toEqual([BASE, POLYGON]);
  });

  it.each([BASE, POLYGON] as const)(
    '@x402/fetch with %s alone pays there, and the receipt says so',
    async (network) => {
      const account = wallet();
      await chains[network].usdc.mint(account.address, 1_000_000n);
      const before = await received(network);

      const answer = await wrapFetchWithPayment(fetch, exactOn(account, network))(`${url}${URL}`, send);

      expect(answer.status).toBe(200);
      expect(await received(network)).toBe(before + 2_000n);
      const paid = decodePaymentResponseHeader(answer.headers.get('payment-response')!);
      expect(paid.network).toBe(network);
      const { body } = await world.get(`/v1/agent/charges/${answer.headers.get('x-charge-id')}`);
      expect(body).toMatchObject({ rail: 'x402', network, transaction: paid.transaction });
    },
  );

  it('have one balance: a top-up on the second is spent by a sign-in that names it', async () => {
    const account = wallet();
    await chains[POLYGON].usdc.mint(account.address, 5_000_000n);
    const client = exactOn(account, POLYGON);

    const topUp = await wrapFetchWithPayment(fetch, client)(`${url}/v1/agent/x402/top-up?usd=2`, {
      method: 'POST',
    });

    expect(topUp.status).toBe(200);
    const { body } = await world.get(`/v1/agent/x402/transactions/${account.address}`);
    expect(body.transactions).toMatchObject([{ kind: 'top_up', amountMicro: 2_000_000, network: POLYGON }]);
    const message = (chain: number) =>
      `${new globalThis.URL(url).host} wants you to sign in with your Ethereum account:\n${account.address}\n\n\n` +
      `URI: ${url}\nVersion: 1\nChain ID: ${chain}\nNonce: ${toHex(crypto.getRandomValues(new Uint8Array(16))).slice(2)}\n` +
      `Issued At: ${new Date().toISOString()}`;
    const signedIn = async (chain: number) => {
      const text = message(chain);
      const signature = await account.signMessage({ message: text });
      return world.post(URL, CHAT, { 'sign-in-with-x': encodeHeader({ message: text, signature }) });
    };
    expect((await signedIn(137)).status).toBe(200);
    const offered = await world.post(URL, CHAT, { 'x-wallet-address': account.address });
    const { extensions } = decodeHeader(offered.headers['payment-required']) as never as {
      extensions: { 'sign-in-with-x': { supportedChains: { chainId: string }[] } };
    };
    const chainsOfSignIn = extensions['sign-in-with-x'].supportedChains.map(({ chainId }) => chainId);
    expect(chainsOfSignIn).toEqual([BASE, POLYGON]);
  });

  it('refuse a payment that is signed for one and sent for the other', async () => {
    const account = wallet();
    for (const chain of Object.values(chains)) await chain.usdc.mint(account.address, 1_000_000n);
    const before = [await received(BASE), await received(POLYGON)];
    const [base, polygon] = await offersOf();
    const signed = (offer: Offer) => new ExactEvmScheme(account).createPaymentPayload(2, offer as never);
    const pay = (accepted: unknown, payload: object) =>
      world.post(URL, CHAT, { 'payment-signature': encodeHeader({ x402Version: 2, ...payload, accepted }) });

    const cheap = await signed(polygon!);
    const asBase = await pay(base, cheap);
    const samePayee = await pay({ ...base, payTo: polygon!.payTo }, cheap);
    const otherQuote = await pay(
      { ...polygon, extra: { ...polygon!.extra, quote: base!.extra['quote'] } },
      cheap,
    );
    const elsewhere = await pay({ ...polygon, network: 'eip155:84532' }, cheap);
    const redirected = await pay(base, await signed({ ...base!, network: POLYGON }));

    for (const answer of [asBase, samePayee, otherQuote, elsewhere, redirected])
      expect(answer.status).toBe(402);
    expect([await received(BASE), await received(POLYGON)]).toEqual(before);
    const again = decodeHeader(otherQuote.headers['payment-required']) as never as { accepts: Offer[] };
    expect(again.accepts[0]!.network).toBe(POLYGON);
    // The same payment is valid on the network for which it was signed.
    expect((await pay(polygon, cheap)).status).toBe(200);
  });

  it('claim a nonce once on each', async () => {
    const account = wallet();
    for (const chain of Object.values(chains)) await chain.usdc.mint(account.address, 1_000_000n);
    const [base, polygon] = await offersOf();
    const nonce = toHex(crypto.getRandomValues(new Uint8Array(32)));
    const pay = async (offer: Offer, chainId: number) => {
      const now = BigInt(Math.floor(Date.now() / 1_000));
      const authorization = {
        from: account.address,
        to: offer.payTo as `0x${string}`,
        value: 2_000n,
        validAfter: now - 60n,
        validBefore: now + 600n,
        nonce,
      };
      const signature = await account.signTypedData({
        domain: { name: 'USD Coin', version: '2', chainId, verifyingContract: USDC_ADDRESS },
        types: {
          TransferWithAuthorization: [
            { name: 'from', type: 'address' },
            { name: 'to', type: 'address' },
            { name: 'value', type: 'uint256' },
            { name: 'validAfter', type: 'uint256' },
            { name: 'validBefore', type: 'uint256' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'TransferWithAuthorization',
        message: authorization,
      });
      const texts = Object.fromEntries(
        Object.entries(authorization).map(([name, value]) => [name, String(value)]),
      );
      return world.post(URL, CHAT, {
        'payment-signature': encodeHeader({
          x402Version: 2,
          accepted: offer,
          payload: { signature, authorization: texts },
        }),
      });
    };

    const answers = [await pay(base!, 8453), await pay(polygon!, 137), await pay(polygon!, 137)];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const rows = await world.db.rows('select network from x402_payment where payer = $1 order by network', [
      account.address.toLowerCase(),
    ]);
    expect(rows).toEqual([{ network: POLYGON }, { network: BASE }]);
  });

  it('run channels on each: stock clients pay, are corrected and get their money back', async () => {
    const account = wallet();
    const chain = chains[POLYGON];
    await chain.usdc.mint(account.address, 1_000_000n);
    const storage = new InMemoryClientChannelStorage();
    const scheme = new BatchSettlementEvmScheme(
      {
        address: account.address,
        signTypedData: (message: never) => account.signTypedData(message),
        readContract: (args: never) => chain.client.readContract(args),
      } as never,
      { storage },
    );
    const client = new x402Client().register(POLYGON, scheme);
    client.setSpendControls({ maxAmountPerPayment: '$100', allowedAssets: [...ALLOWED] });
    const pay = wrapFetchWithPayment(fetch, client);
    expect((await pay(`${url}${URL}`, send)).status).toBe(200);
    const [row] = await world.db.rows<{ id: string; network: string }>(
      'select id, network from channel where payer = $1',
      [account.address.toLowerCase()],
    );
    expect(row!.network).toBe(POLYGON);
    await storage.set(row!.id, { chargedCumulativeAmount: '0', balance: '20000', totalClaimed: '0' });

    const corrected = await pay(`${url}${URL}`, {
      ...send,
      body: JSON.stringify({ ...CHAT, max_tokens: 17 }),
    });

    expect(corrected.status).toBe(200);
    const before = await received(POLYGON);
    await world.app.get(ChannelClaims, { strict: false }).claimOwed();
    expect(await received(POLYGON)).toBe(before + 4_000n);
    await scheme.refund(`${url}/v1/agent/x402/channels?network=${POLYGON}`);
    expect(await chain.usdc.balanceOf(account.address)).toBe(1_000_000n - 4_000n);
  });

  it('name the network in the event of a top-up, and in the balance of a key of the wallet', async () => {
    const account = wallet();
    await chains[POLYGON].usdc.mint(account.address, 5_000_000n);
    const pay = wrapFetchWithPayment(fetch, exactOn(account, POLYGON));
    await pay(`${url}/v1/agent/x402/top-up?usd=2`, { method: 'POST' });
    const owner = account.address.toLowerCase();

    const events = await world.db.rows<{ data: object }>(
      `select data from event where owner = $1 and type = 'balance.topped_up'`,
      [owner],
    );

    expect(events).toEqual([{ data: expect.objectContaining({ amountMicro: 2_000_000, network: POLYGON }) }]);
    const { entries } = await world.app
      .get(AccountFunds, { strict: false })
      .page(walletAccount(owner as never), { limit: 1 });
    expect(entries[0]).toMatchObject({ kind: 'top_up', network: POLYGON });
  });

  it('are shown to operators with the sums and the channels of each', async () => {
    const bearer = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const account = wallet();
    await chains[POLYGON].usdc.mint(account.address, 1_000_000n);
    expect((await byChannel(account)(`${url}${URL}`, send)).status).toBe(200);
    const mine = (state: string) =>
      world
        .get(`/v1/admin/channels?limit=200&state=${state}`, bearer)
        .then(({ body }) => body.channels.filter((one: { payer: string }) => one.payer === account.address));
    const polygon = async () => {
      const { body } = await world.get('/v1/admin/channels?limit=1', bearer);
      return body.networks.find((one: { network: string }) => one.network === POLYGON);
    };

    const owing = await polygon();

    expect(owing).toMatchObject({ offered: true, owedMicro: 2_000, atRiskMicro: 0 });
    expect(await mine('owed')).toEqual([
      expect.objectContaining({
        network: POLYGON,
        chargedMicro: 2_000,
        claimedMicro: 0,
        withdrawalPending: false,
      }),
    ]);
    expect(await mine('at_risk')).toEqual([]);
    await world.db.rows('update channel set withdraw_requested_at = 1 where payer = $1', [
      account.address.toLowerCase(),
    ]);
    expect(await polygon()).toMatchObject({ atRiskMicro: 2_000 });
    expect(await mine('at_risk')).toHaveLength(1);
    await world.db.rows('update channel set withdraw_requested_at = 0 where payer = $1', [
      account.address.toLowerCase(),
    ]);

    await world.app.get(ChannelClaims, { strict: false }).claimOwed();

    const claimed = await polygon();
    expect(claimed).toMatchObject({ owedMicro: 0, claimedMicro: owing.claimedMicro + 2_000 });
    expect(claimed.lastClaim).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await mine('owed')).toEqual([]);
    const { body } = await world.get('/v1/admin/channels', bearer);
    expect(body.networks.find((one: { network: string }) => one.network === BASE)).toMatchObject({ open: 0 });
    expect((await world.get('/v1/admin/channels')).status).toBe(401);
    await world.app.get(ReconciliationProcessor, { strict: false }).run();
    const metrics = (await world.get('/metrics')).body;
    expect(metrics).toContain(`lamppost_channel_micro_usd{network="${POLYGON}",sum="owed"} 0`);
    expect(metrics).toContain(`lamppost_channels_open{network="${BASE}"} 0`);
  });

  it('are searched, each on its own chain, when the database went back to an earlier moment', async () => {
    const began = new Date(Date.now() - 60_000);
    const restored = await World.start(settings());
    const [payer, streamer] = [wallet(), wallet()];
    await chains[POLYGON].usdc.mint(streamer.address, 1_000_000n);
    for (const network of [BASE, POLYGON] as const) {
      await chains[network].usdc.mint(payer.address, 1_000_000n);
      const pay = wrapFetchWithPayment(fetch, exactOn(payer, network));
      expect((await pay(`${url}${URL}`, send)).status).toBe(200);
    }
    expect((await byChannel(streamer)(`${url}${URL}`, send)).status).toBe(200);
    for (const chain of Object.values(chains)) await chain.mine(70);

    const found = [];
    for (const { chain, x402 } of chainsToSearch(restored.settings.x402)) {
      const { forgotten } = await new X402Recovery(restored.db, chain, x402, 10n).find(
        began,
        () => undefined,
      );
      const ours = forgotten.filter((one) => one.payer === payer.address.toLowerCase());
      const lost = await new ChannelRecovery(restored.db, chain, x402, 10n).find(began);
      const own = lost.filter(({ config }) => config.payer === streamer.address.toLowerCase());
      found.push([x402.network, ours.map(({ amount }) => amount), own.length]);
      await Promise.all(ours.map((one) => new X402Recovery(restored.db, chain, x402, 10n).credit(one)));
      for (const one of own) await new ChannelRecovery(restored.db, chain, x402, 10n).rebuild(one);
    }

    expect(found).toEqual([
      [BASE, [2_000n], 0],
      [POLYGON, [2_000n], 1],
    ]);
    const { entries } = await restored.app
      .get(AccountFunds, { strict: false })
      .page(walletAccount(payer.address.toLowerCase() as never), { limit: 10 });
    expect(entries.map(({ network }) => network)).toEqual([POLYGON, BASE]);
    const reported = await restored.db.rows<{ network: string }>(
      `select data->>'network' as network from event where owner = $1 order by 1`,
      [payer.address.toLowerCase()],
    );
    expect(reported.map(({ network }) => network).filter((one) => one !== null)).toEqual([POLYGON, BASE]);
    expect(
      await restored.db.rows('select network from channel where payer = $1', [
        streamer.address.toLowerCase(),
      ]),
    ).toEqual([{ network: POLYGON }]);
    await restored.expectBooksToBalance();
    await restored.stop();
  });

  it('are examined by the doctor, each by its own name', async () => {
    const base = { ...settings(), SIGNING_SECRET: 'x'.repeat(32) };
    const good = readSettings(base);
    const wrong = readSettings({
      ...base,
      X402_NETWORKS: listed({ [POLYGON]: { rpcUrl: chains[BASE].rpcUrl } }),
    });

    const [chain, other, relayer] = await Promise.all([
      OUTSIDE_CHECKS['chain']!(good),
      OUTSIDE_CHECKS['chain']!(wrong),
      OUTSIDE_CHECKS['relayer']!(good),
    ]);

    expect(chain.outcome).toBe('ok');
    expect(chain.text).toContain(`${BASE}: `);
    expect(chain.text).toContain(`${POLYGON}: `);
    expect(other).toMatchObject({
      outcome: 'bad',
      text: expect.stringContaining('is a node of chain 8453, not 137'),
    });
    expect(relayer.text.match(/for about \d+ settlements/g)).toHaveLength(2);
  });

  it('are reconciled each with its own chain', async () => {
    const drift = await world.app.get(ReconciliationProcessor, { strict: false }).run();

    expect(Object.values(drift).every((micro) => micro === 0n)).toBe(true);
  });

  it('keep a payment in doubt when its network is configured no more', async () => {
    const gone = world.app.get(Facilitators, { strict: false }).on('eip155:42161');

    expect(await gone.outcome({} as never)).toEqual({ outcome: 'unknown' });
    expect(await gone.settle({} as never)).toMatchObject({ outcome: 'unknown' });
  });

  it('stop the start when a token does not have 6 decimals', async () => {
    const { client } = chains[POLYGON];
    const other = '0x00000000000000000000000000000000000d0c18';
    // Makes the contract return 18 for every call.
    await client.setCode({
      address: other,
      bytecode: '0x601260005260206000f3',
    });

    const start = World.start({ ...settings(), X402_NETWORKS: listed({ [POLYGON]: { asset: other } }) });

    await expect(start).rejects.toThrow('eip155:137 does not have 6 decimals');
  });
});
