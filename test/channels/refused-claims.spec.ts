import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import type { Address } from 'viem';

import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { ChannelReport } from '#money/billing/rails/channel/channel-report';
import { ChannelCaller } from '../support/channel-caller';
import { hostileWallet, turnWallet } from '../support/hostile-wallet';
import type { World } from '../support/world';
import { decodeHeader } from '../x402/x402-world';
import { type ChannelStage, channelStage } from './channel-world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
const URL = '/v1/agent/chat';
const GAS_MAX = 300_000n;
const GWEI = 10n ** 9n;

describe('a claim that the chain refuses, or that is too dear', () => {
  let stage: ChannelStage;
  let world: World;

  const start = async (more: Readonly<Record<string, string>> = {}) => {
    stage = await channelStage({
      // The tests run the claims. A scheduled claim between two calls would make room for a third.
      ROLE: 'api',
      X402_CHANNEL_CLAIM_SECONDS: '3600',
      X402_CHANNEL_CLAIM_MICRO: '40000',
      X402_GAS_MAX: String(GAS_MAX),
      ...more,
    });
    ({ world } = stage);
  };

  afterEach(async () => {
    await world.expectBooksToBalance();
    await stage.stop();
  });

  const claims = () => world.app.get(ChannelClaims, { strict: false });
  const buyer = () => new ChannelCaller(stage.chain).minted();
  const contractBuyer = (wallet: Address) => new ChannelCaller(stage.chain, 0n, wallet).minted();
  const rowOf = async ({ wallet }: ChannelCaller) =>
    (
      await world.db.rows<{ owed: number; refused: boolean; failures: number; wait: number }>(
        `select (charged_micro - claimed_micro)::integer as owed, claim_refused_at is not null as refused,
           claim_failures as failures, round(extract(epoch from claim_until - now()) / 30)::integer * 30 as wait
         from channel where payer = $1`,
        [wallet.toLowerCase()],
      )
    )[0]!;
  const reasonOf = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
    decodeHeader(headers['payment-required'])['error'];
  /** The gas of each transaction that our relayer sent. */
  const sent = async (work: () => Promise<unknown>): Promise<bigint[]> => {
    const relayer = stage.chain.accounts[0]!.address.toLowerCase();
    const first = (await stage.chain.client.getBlockNumber()) + 1n;
    await work();
    const used: bigint[] = [];
    for (let n = first; n <= (await stage.chain.client.getBlockNumber()); n += 1n) {
      const { transactions } = await stage.chain.client.getBlock({
        blockNumber: n,
        includeTransactions: true,
      });
      for (const { from, hash } of transactions)
        if (from === relayer) used.push((await stage.chain.client.getTransactionReceipt({ hash })).gasUsed);
    }
    return used;
  };

  it('is foreseen if the contract wallet answers the contract otherwise than others', async () => {
    await start();
    const wallet = await hostileWallet(stage.chain, 'Picky', BigInt(BATCH_SETTLEMENT_ADDRESS));
    const answer = await (await contractBuyer(wallet)).buy(world, URL, CHAT);

    expect([answer.status, reasonOf(answer)]).toEqual([
      402,
      'invalid_batch_settlement_evm_deposit_transaction_failed',
    ]);
    expect(await world.db.rows('select from charge')).toEqual([]);
  });

  it('stops the channel, is no due debt, and leaves the claims of others in one transaction', async () => {
    await start();
    const wallet = await hostileWallet(stage.chain, 'Fickle');
    const fickle = await contractBuyer(wallet);
    const others = [await buyer(), await buyer(), await buyer()];
    for (const caller of [fickle, ...others]) expect((await caller.buy(world, URL, CHAT)).status).toBe(200);
    await turnWallet(stage.chain, wallet);

    await claims().claimOwed();

    const made = await stage.chain.channels.claims();
    expect([made.length, new Set(made.map(({ transaction }) => transaction)).size]).toEqual([3, 1]);
    expect(await rowOf(fickle)).toEqual({ owed: 2_000, refused: true, failures: 1, wait: 60 });
    for (const caller of others) expect(await rowOf(caller)).toMatchObject({ owed: 0, refused: false });
    const [sums] = await world.app.get(ChannelReport, { strict: false }).sums();
    expect(sums).toMatchObject({ owed: 2_000n, atRisk: 2_000n });

    // However large, it is not due. After its pause it is tried again alone, and without gas.
    const grow = (by: number) =>
      world.db.rows(
        `update channel set charged_micro = charged_micro + $1::bigint, signed_micro = signed_micro + $1::bigint,
           base_micro = base_micro + $1::bigint where claim_refused_at is not null`,
        [by],
      );
    await grow(15_000);
    expect((await others[0]!.buy(world, URL, { ...CHAT, max_tokens: 17 })).status).toBe(200);
    expect(await sent(() => claims().run())).toEqual([]);
    await world.db.rows(`update channel set claim_until = now() where claim_refused_at is not null`);
    expect(await sent(() => claims().run())).toEqual([]);
    expect(await rowOf(fickle)).toMatchObject({ failures: 2, wait: 120 });
    expect(await rowOf(others[0]!)).toMatchObject({ owed: 2_000 });
    await grow(-15_000);
  });

  it('is remembered by the next call of the channel, also if the wallet accepts its signatures again', async () => {
    await start();
    const wallet = await hostileWallet(stage.chain, 'Fickle');
    const fickle = await contractBuyer(wallet);
    expect((await fickle.buy(world, URL, CHAT)).status).toBe(200);
    const payment = await fickle.pay(world, URL, { ...CHAT, max_tokens: 17 });
    await world.db.rows(`update channel set claim_refused_at = now(), claim_failures = 1`);

    const refused = await fickle.send(world, URL, { ...CHAT, max_tokens: 17 }, payment);
    await claims().run();
    const served = await fickle.send(world, URL, { ...CHAT, max_tokens: 17 }, payment);

    expect([refused.status, reasonOf(refused)]).toEqual([402, 'invalid_batch_settlement_evm_channel_busy']);
    // The claim succeeded, so the channel pays again.
    expect(served.status).toBe(200);
  });

  it('of one plain channel among many costs few transactions once, and none later', async () => {
    await start();
    const callers = [];
    for (let n = 0; n < 8; n += 1) callers.push(await buyer());
    for (const caller of callers) expect((await caller.buy(world, URL, CHAT)).status).toBe(200);
    const bad = callers[3]!;
    await world.db.rows(
      `update channel set signature = '0x' || repeat('12', 65) where payer = '${bad.wallet.toLowerCase()}'`,
    );

    // Seven channels in at most three claims, and one payout.
    expect((await sent(() => claims().claimOwed())).length).toBeLessThanOrEqual(4);
    expect(await rowOf(bad)).toMatchObject({ owed: 2_000, refused: true });
    for (const caller of callers.filter((one) => one !== bad))
      expect((await caller.buy(world, URL, { ...CHAT, max_tokens: 17 })).status).toBe(200);
    expect(await sent(() => claims().claimOwed())).toHaveLength(2);
  });

  it('never burns more gas than a payment may', async () => {
    await start();
    const wallet = await hostileWallet(stage.chain, 'Greedy', 9_000_000n);
    const greedy = await contractBuyer(wallet);
    expect((await greedy.buy(world, URL, CHAT)).status).toBe(200);
    await turnWallet(stage.chain, wallet);

    expect(await sent(() => claims().claimOwed())).toEqual([]);
    expect(await rowOf(greedy)).toMatchObject({ owed: 2_000, refused: true });
    // Its refund would claim as well.
    await world.db.rows(
      `update channel set used_at = now() - interval '8 days', claim_refused_at = null, claim_until = null`,
    );
    expect(await sent(() => claims().run())).toEqual([]);
  });

  it('waits while its fee is above its share of the money, and the larger debts go first', async () => {
    await start({
      X402_NATIVE_USD: '1',
      X402_FEE_FLOOR_MICRO: '5000',
      X402_CHANNEL_CLAIM_MICRO: '1000000000',
    });
    const [small, large] = [await buyer(), await buyer()];
    let calls = 0;
    const buy = async (caller: ChannelCaller, url = URL, body: object = CHAT) => {
      calls += 1;
      expect((await caller.buy(world, url, { ...body, tag: `call-${calls}` })).status).toBe(200);
    };
    for (let round = 0; round < 2; round += 1) {
      await buy(small);
      await buy(large);
      if (round === 0) await claims().claimOwed();
    }
    const [both] = await sent(() => claims().claimOwed());
    await buy(large);
    const [one] = await sent(() => claims().claimOwed());
    await buy(small);
    await buy(large, '/v1/agent/videos', { prompt: 'a lamp' });
    const { owed } = await rowOf(large);
    // At this fee the limit pays for a claim of one channel and not for a claim of two.
    const limit = (BigInt(owed + 2_000) * 10n ** 18n) / 10n / 1_000_000n;
    const fee = (limit * 10n) / 12n / ((one! + both!) / 2n);
    await stage.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: ((fee - GWEI) * 10n) / 12n });
    await stage.chain.mine(1);

    await claims().claimOwed();

    expect(await rowOf(large)).toMatchObject({ owed: 0 });
    expect(await rowOf(small)).toEqual({ owed: 2_000, refused: false, failures: 1, wait: 60 });
  });

  it('can cost no more than what contract wallets may owe together', async () => {
    await start({ X402_CHANNEL_CLAIM_MICRO: '5000' });
    const wallets: Address[] = [];
    for (let n = 0; n < 4; n += 1) wallets.push(await hostileWallet(stage.chain, 'Fickle'));
    const callers = await Promise.all(wallets.map((wallet) => contractBuyer(wallet)));
    const payments = await Promise.all(callers.map((caller) => caller.pay(world, URL, CHAT)));

    const answers = await Promise.all(
      callers.map((caller, n) => caller.send(world, URL, CHAT, payments[n]!)),
    );

    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 200, 402, 402,
    ]);
    const refused = answers.find(({ status }) => status === 402)!;
    expect([refused.body.error.code, reasonOf(refused)]).toEqual([
      'INVALID_PAYMENT',
      'invalid_batch_settlement_evm_channel_busy',
    ]);
    // The claim makes room at once, although so small a sum would not be due yet.
    await claims().run();
    const again = callers[answers.indexOf(refused)]!;
    expect((await again.buy(world, URL, CHAT)).status).toBe(200);
    // Plain wallets have no such limit.
    for (let n = 0; n < 4; n += 1) expect((await (await buyer()).buy(world, URL, CHAT)).status).toBe(200);
  });
});
