import { join } from 'node:path';

import { encodeFunctionData } from 'viem';

import { Chain } from '#money/billing/rails/x402/facilitators/chain';
import {
  type Credit,
  X402Recovery,
  chainsToSearch,
} from '#money/billing/rails/x402/after-restore/x402-recovery';
import { readSettings } from '../../src/settings';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { USDC_ADDRESS, usdcAbi } from '../../tools/chain/test-usdc';
import { runCommand } from '../support/code-blocks';
import { cloneDatabase } from '../support/postgres';
import { type Wallet, X402World, newWallet } from './x402-world';
import { refusedOrigin } from '../support/closed-port';

const ROOT = join(__dirname, '..', '..');
const PAY_TO = '0x209693bc6afc0c5328ba36faf03c514ef312287c';
const TOP_UP = { price: 4_000_000n, operation: 'top_up' };
/** Real nodes search more blocks in one request. */
const BLOCKS_AT_ONCE = 10n;
/** A node for tests considers a block final after this many blocks. */
const FINAL_BLOCKS = 70;

/**
 * `lost` is the database before the failure, and `ours` is the same database, restored to an earlier moment. At that
 * moment one wallet's call was open; it was paid later, and `ours` has released it.
 */
describe('what was paid after the moment that the database went back to', () => {
  const began = new Date();
  const wallets: readonly Wallet[] = Array.from({ length: 4 }, () => newWallet());
  const [first, second, third, known] = wallets as [Wallet, Wallet, Wallet, Wallet];
  let chain: LocalChain;
  let variables: Readonly<Record<string, string>>;
  let lost: X402World;
  let ours: X402World;
  let recovery: X402Recovery;
  let headers: readonly [string, string, string];

  const find = () => recovery.find(began, () => undefined);
  /** The rows of this wallet that the restore has lost. */
  const forgottenOf = async ({ address }: Wallet) =>
    (await find()).forgotten.filter(({ payer }) => payer === address);
  const transfer = (from: `0x${string}`) =>
    chain.client.sendTransaction({
      account: from,
      to: USDC_ADDRESS,
      data: encodeFunctionData({ abi: usdcAbi, functionName: 'transfer', args: [PAY_TO, 7_000n] }),
    });

  beforeAll(async () => {
    chain = await startLocalChain();
    variables = { X402_FACILITATOR: 'local', X402_PAY_TO: PAY_TO, X402_RPC_URL: chain.rpcUrl };
    const relayer = (n: number) => ({ X402_RELAYER_KEY: chain.accounts[n]!.privateKey });
    lost = await X402World.open(await cloneDatabase(), { ...variables, ...relayer(1) });
    ours = await X402World.open(await cloneDatabase(), { ...variables, ...relayer(2) });
    recovery = new X402Recovery(
      ours.db,
      chainsToSearch(ours.settings.x402)[0]!.chain,
      ours.settings.x402,
      BLOCKS_AT_ONCE,
    );
    for (const { address } of wallets) await chain.usdc.mint(address, 5_000_000n);
    const sender = chain.accounts[3]!.address;
    await chain.usdc.mint(sender, 7_000n);

    headers = [await lost.pay(first), await lost.pay(second), await lost.pay(third, TOP_UP)];
    await ours.hold(headers[1]);
    await ours.sweep('not-done');
    await lost.buy(headers[0]);
    await lost.buy(headers[1]);
    await lost.buy(headers[2], TOP_UP);
    await ours.buy(await ours.pay(known));
    await transfer(sender);
    await chain.mine(FINAL_BLOCKS);
  });

  afterEach(() => ours.expectBooks());

  afterAll(async () => {
    await lost.stop();
    await ours.stop();
    await chain.stop();
  });

  it('is listed, apart from what is known and from what paid no call', async () => {
    const steps: bigint[] = [];

    const { forgotten, open, plain } = await recovery.find(began, (block) => steps.push(block));

    expect(forgotten.map(({ payer, amount }) => [payer, amount])).toEqual([
      [first.address, 10_000n],
      [second.address, 10_000n],
      [third.address, 4_000_000n],
    ]);
    expect(plain.map(({ amount }) => amount)).toEqual([7_000n]);
    expect(open).toBe(0);
    expect(steps.length).toBeGreaterThan(1);
  });

  it('is credited to the wallets that paid, once, also concurrently, and as a top-up is', async () => {
    const { forgotten } = await find();

    const credits = await Promise.all([...forgotten, ...forgotten].map((one) => recovery.credit(one)));

    const outcomes = credits.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual([...Array(3).fill('credited'), ...Array(3).fill('known')]);
    expect(await Promise.all(wallets.map((wallet) => ours.balanceOf(wallet)))).toEqual([
      10_000n,
      10_000n,
      4_000_000n,
      0n,
    ]);
    expect((await find()).forgotten).toEqual([]);
    const made = credits.find((one): one is Extract<Credit, { chargeId: string }> => 'chargeId' in one)!;
    expect(await ours.charges.find(made.chargeId)).toMatchObject({ operation: 'top_up', modelId: 'top-up' });
    expect(await ours.payments.find(made.chargeId)).toMatchObject({ state: 'charged', signature: '0x' });
    expect(await ours.book.transfers(0)).toBe(0n);
    expect(await ours.sweep()).toEqual([]);
    expect(await ours.payments.takeWatched(10)).toEqual([]);
  });

  it('pays nothing any more: the header that paid it is refused', async () => {
    for (const [n, header] of headers.entries()) {
      const options = n === 2 ? TOP_UP : {};
      const call = await ours.identified(header, options);

      await expect(ours.rail.hold(call, ours.draftOf(call))).resolves.toEqual({
        ok: false,
        reason: 'duplicate',
      });
      await expect(ours.rail.earlier(call, call.payer!)).rejects.toMatchObject({ code: 'INVALID_PAYMENT' });
    }
    expect(await ours.balanceOf(first)).toBe(10_000n);
  });

  it('waits until the service has given its call up, and delays no other', async () => {
    const header = await lost.pay(known);
    await ours.hold(header);
    await lost.buy(header);
    await chain.mine(FINAL_BLOCKS);
    const { open } = await find();
    const before = await forgottenOf(known);
    await ours.sweep('not-done');
    const [forgotten] = await forgottenOf(known);
    const all = { price: await chain.usdc.balanceOf(known.address) };
    const next = await ours.hold(await ours.pay(known, all), all);

    const credit = await recovery.credit(forgotten!);

    expect([open, before]).toEqual([1, []]);
    expect(credit.outcome).toBe('credited');
    expect(await ours.settle(next.call, next.draft)).toMatchObject({ outcome: 'charged' });
    expect(await ours.balanceOf(known)).toBe(10_000n);
  });

  it('is not credited where its transfer belongs to another payment', async () => {
    const { id } = await ours.buy(await ours.pay(first));
    const { id: forgottenId } = await lost.buy(await lost.pay(second));
    const [theirs, own] = [await lost.payments.find(forgottenId), await ours.payments.find(id)];
    const say = (payment: typeof own) =>
      ours.db.rows('update x402_payment set tx_hash = $2, log_index = $3 where charge_id = $1', [
        id,
        payment!.transaction,
        payment!.logIndex,
      ]);
    await chain.mine(FINAL_BLOCKS);
    const forgotten = (await forgottenOf(second)).at(-1)!;
    const balance = await ours.balanceOf(second);
    await say(theirs);

    const credit = await recovery.credit(forgotten);
    await say(own);

    expect(credit).toEqual({ outcome: 'spent' });
    expect(await ours.balanceOf(second)).toBe(balance);
  });

  it('is found by the command, which names no node', async () => {
    const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      runCommand(
        process.execPath,
        ['-r', './tools/typescript.cjs', 'src/recover.ts', '--since', began.toISOString(), ...args],
        ROOT,
        {
          ...variables,
          X402_RELAYER_KEY: chain.accounts[2]!.privateKey,
          DATABASE_URL: lost.settings.databaseUrl!,
          SIGNING_SECRET: 'x'.repeat(32),
          ...more,
        },
      );

    const strange = `0x${'ab'.repeat(32)}`;
    const audited = () =>
      lost.db.rows(
        `select action, subject, amount_micro::int as amount, operator, reason from admin_audit order by seq`,
      );

    const [help, listed, away] = await Promise.all([
      run(['--help']),
      run([]),
      run([], { X402_RPC_URL: `${await refusedOrigin()}/secret-path` }),
    ]);
    const [, one = ''] =
      new RegExp(`0.010000 USDC from ${known.address} by (0x\\w+)`).exec(listed.output) ?? [];
    const alone = await run(['--credit', '--only', one, '--only', strange]);
    const [entry, ...others] = await audited();
    const balance = await lost.balanceOf(known);
    const rest = await run(['--credit']);

    expect([help.output, help.exitCode]).toEqual([expect.stringContaining('--only'), 0]);
    expect(listed.output).toContain('Plain transfers: 1, of 0.007000 USDC');
    expect(alone.errors).toBe('');
    expect(alone.output.match(/credited to its wallet as ch_/g)).toHaveLength(1);
    expect(alone.output).toContain(`Not forgotten: ${strange}`);
    expect([balance, others]).toEqual([10_000n, []]);
    expect(entry).toEqual({
      action: 'credit',
      subject: `wallet ${known.address}`,
      amount: 10_000,
      operator: 'recover',
      reason: expect.stringContaining(one),
    });
    expect(rest.output).toMatch(/: credited to its wallet as ch_/);
    expect(await audited()).toHaveLength(1 + rest.output.match(/: credited/g)!.length);
    expect(rest.exitCode).toBe(0);
    expect(await lost.balanceOf(known)).toBe(4_990_000n);
    expect(away.errors).toMatch(/^The chain eip155:\d+ could not be asked: .+\.\n$/);
    expect(away.exitCode).toBe(1);
    await lost.expectBooks();
  });

  it.each([
    ['the sandbox', { X402_FACILITATOR: 'sandbox' }, 'are on no chain'],
    [
      'no node',
      { X402_FACILITATOR: 'http', X402_FACILITATOR_URL: 'https://f.example' },
      'X402_RPC_URL is not set',
    ],
  ])('is not looked for with %s', (_, settings, words) => {
    expect(() => chainsToSearch(readSettings({ X402_PAY_TO: PAY_TO, ...settings }).x402)).toThrow(words);
  });

  it('is not looked for on another chain', async () => {
    const { x402 } = readSettings({
      ...variables,
      X402_RELAYER_KEY: chain.accounts[2]!.privateKey,
      X402_NETWORK: 'eip155:84532',
    });
    const strange = new X402Recovery(ours.db, new Chain(x402), x402);

    await expect(strange.find(began, () => undefined)).rejects.toThrow('the node is of another network');
  });
});
