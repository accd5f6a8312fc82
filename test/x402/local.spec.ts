import { encodeFunctionData } from 'viem';

import { LocalFacilitator } from '#money/billing/rails/x402/facilitators/local-facilitator';
import { type RpcFaultProxy, startRpcFaultProxy } from '../../tools/chain/rpc-fault-proxy';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { USDC_ADDRESS, signAuthorization, usdcAbi } from '../../tools/chain/test-usdc';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';
import { type Hex, X402World, answerFor, decodeHeader, newWallet, refusalOf } from './x402-world';

const PAY_TO = '0x209693bc6afc0c5328ba36faf03c514ef312287c';
const COSTLY = { price: 2_000_000n };

describe('paying by call on a chain, settled by ourselves', () => {
  let chain: LocalChain;
  let proxy: RpcFaultProxy;
  let ours: X402World;
  let others: X402World;

  const funded = async (amount: bigint) => {
    const wallet = newWallet();
    await chain.usdc.mint(wallet.address, amount);
    return wallet;
  };
  const received = () => chain.usdc.balanceOf(PAY_TO);

  beforeAll(async () => {
    chain = await startLocalChain();
    proxy = await startRpcFaultProxy(chain.rpcUrl);
    const url = await cloneDatabase();
    const variables = {
      X402_FACILITATOR: 'local',
      X402_PAY_TO: PAY_TO,
      X402_RPC_URL: `${proxy.url}/secret-path`,
      X402_RELAYER_KEY: chain.accounts[1]!.privateKey,
    };
    ours = await X402World.open(url, variables);
    others = await X402World.open(url, { ...variables, X402_RELAYER_KEY: chain.accounts[2]!.privateKey });
  });

  afterEach(async () => {
    proxy.reset();
    await ours.expectBooks();
  });

  afterAll(async () => {
    await ours.stop();
    await others.stop();
    await proxy.stop();
    await chain.stop();
  });

  it('moves exactly the price from the payer to us', async () => {
    const wallet = await funded(25_000n);
    const before = await received();

    const { settlement } = await ours.buy(await ours.pay(wallet));

    expect(settlement.outcome).toBe('charged');
    const [transfer] = await chain.usdc.transferEvents({ from: wallet.address });
    const headers = settlement.outcome === 'charged' ? settlement.headers : {};
    expect(decodeHeader(headers['payment-response'])).toMatchObject({ transaction: transfer?.transaction });
    expect(await received()).toBe(before + 10_000n);
    expect(await chain.usdc.balanceOf(wallet.address)).toBe(15_000n);
  });

  it('settles twenty payments that come together', async () => {
    const wallets = await Promise.all(Array.from({ length: 20 }, () => funded(10_000n)));
    const before = await received();

    const bought = await Promise.all(
      wallets.map(async (wallet, n) => {
        const world = n % 2 ? ours : others;
        return world.buy(await world.pay(wallet));
      }),
    );

    expect(bought.map(({ settlement }) => settlement.outcome)).toEqual(Array(20).fill('charged'));
    expect(await received()).toBe(before + 200_000n);
  });

  it('runs only as many parallel calls of a poor wallet as it can pay', async () => {
    const wallet = await funded(7_000_000n);
    const headers = await Promise.all(Array.from({ length: 12 }, () => ours.pay(wallet, COSTLY)));

    const holds = await Promise.all(headers.map((header, n) => (n % 2 ? ours : others).hold(header, COSTLY)));

    const won = holds.filter(({ held }) => held.ok);
    expect(won).toHaveLength(3);
    expect(holds.filter(({ held }) => !held.ok && held.reason === 'short')).toHaveLength(9);
    const settled = await Promise.all(won.map(({ call, draft }) => ours.settle(call, draft)));
    expect(settled.map(({ outcome }) => outcome)).toEqual(['charged', 'charged', 'charged']);
  });

  it('withholds the answer of a wallet that was drained meanwhile, and lets it open one call at a time', async () => {
    const wallet = await funded(10_000n);
    const { call, draft } = await ours.hold(await ours.pay(wallet));
    await carryOut(wallet.key, { value: 10_000n });

    const settlement = await ours.settle(call, draft);

    expect(settlement.outcome).toBe('failed');
    const error = settlement.outcome === 'failed' ? settlement.error : undefined;
    expect(error).toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    const { headers = {} } = (error as unknown as { extras: { headers?: Record<string, string> } }).extras;
    expect(decodeHeader(headers['payment-response'])).toMatchObject({ success: false, transaction: '' });
    expect(headers['payment-required']).toBeDefined();
    expect(await ours.stateOf(draft.id)).toBe('released');
    expect((await ours.payerRow(wallet)).strikes).toBe(1);

    await chain.usdc.mint(wallet.address, 1_000_000n);
    const next = await ours.hold(await ours.pay(wallet));
    const refused = await refusalOf(ours.hold(await ours.pay(wallet)));
    expect(next.held.ok).toBe(true);
    expect(refused.message).toContain('one open call at a time');
    await ours.settle(next.call, next.draft);
    expect((await ours.hold(await ours.pay(wallet))).held.ok).toBe(true);
    await ours.sweep('not-done');
  });

  it('withholds the answer of a payment that was cancelled meanwhile', async () => {
    const wallet = await funded(10_000n);
    const header = await ours.pay(wallet);
    const { call, draft } = await ours.hold(header);
    const stored = await ours.payments.find(draft.id);
    await chain.usdc.cancelAuthorization(wallet.key, stored!.nonce);

    const settlement = await ours.settle(call, draft);

    expect(settlement.outcome).toBe('failed');
    expect(await ours.payerRow(wallet)).toEqual({ open: 0n, openCount: 0, strikes: 1, paidIn: 0n });
    expect(await chain.usdc.balanceOf(wallet.address)).toBe(10_000n);
  });

  it('is paid by a transfer that somebody else carried out', async () => {
    const wallet = await funded(10_000n);
    const { call, draft } = await ours.hold(await ours.pay(wallet));
    const payment = await ours.payments.find(draft.id);
    await others.facilitator.settle({ ...payment!, settleAttempts: 1 });

    const settlement = await ours.settle(call, draft);

    expect(settlement.outcome).toBe('charged');
    expect(await chain.usdc.balanceOf(wallet.address)).toBe(0n);
  });

  it('takes a transfer to somebody else under the same nonce for no payment', async () => {
    const wallet = await funded(20_000n);
    const { call, draft } = await ours.hold(await ours.pay(wallet));
    const { nonce } = (await ours.payments.find(draft.id))!;
    await carryOut(wallet.key, { value: 10_000n, nonce });

    const settlement = await ours.settle(call, draft);

    expect(settlement.outcome).toBe('failed');
    expect((await ours.payerRow(wallet)).strikes).toBe(1);
  });

  it('is charged by its receipt when the reply to the broadcast was lost', async () => {
    const wallet = await funded(10_000n);
    const { call, draft } = await ours.hold(await ours.pay(wallet));
    proxy.fail('eth_sendRawTransaction', 'drop-reply', 1);

    const settlement = await ours.settle(call, draft);

    expect(settlement.outcome).toBe('charged');
    expect(await chain.usdc.balanceOf(wallet.address)).toBe(0n);
  });

  it('says that nobody knows while the node is down, and charges when it is back', async () => {
    const wallet = await funded(10_000n);
    const { call, draft } = await ours.hold(await ours.pay(wallet));
    proxy.fail('*', 'down');

    const settlement = await ours.settle(call, draft);
    const during = await ours.stateOf(draft.id);
    await ours.sweep();
    const still = await ours.stateOf(draft.id);
    proxy.reset();
    await ours.sweep();

    expect(settlement.outcome).toBe('unknown');
    expect([during, still, await ours.stateOf(draft.id)]).toEqual(['settling', 'settling', 'charged']);
    expect(await chain.usdc.balanceOf(wallet.address)).toBe(0n);
  });

  it('charges a payment whose receipt never came, by what the chain shows', async () => {
    const wallet = await funded(10_000n);
    const { call, draft } = await ours.hold(await ours.pay(wallet));
    proxy.fail('eth_getTransactionReceipt', 'down');

    const settlement = await ours.settle(call, draft);
    proxy.reset();
    await ours.sweep();

    expect(settlement.outcome).toBe('unknown');
    expect(await ours.stateOf(draft.id)).toBe('charged');
    expect(await chain.usdc.transferEvents({ from: wallet.address })).toHaveLength(1);
  });

  it('refuses nothing and claims nothing while the node is down, and names no address', async () => {
    const wallet = await funded(10_000n);
    const header = await ours.pay(wallet);
    proxy.fail('*', 'down');

    const refusal = await refusalOf(ours.hold(header));
    proxy.reset();
    const { held } = await ours.hold(header);
    await ours.sweep('not-done');

    expect(refusal.code).toBe('PAYMENT_UNAVAILABLE');
    const reported = JSON.stringify([
      refusal.message,
      refusal.extras,
      String(refusal.cause),
      (refusal.cause as Error).stack,
    ]);
    expect(reported).not.toContain('secret-path');
    expect(held.ok).toBe(true);
  });

  it('claims nothing when the relayer has no gas', async () => {
    const wallet = await funded(10_000n);
    const poor = newWallet();
    const broke = await X402World.open(ours.settings.databaseUrl!, {
      X402_FACILITATOR: 'local',
      X402_PAY_TO: PAY_TO,
      X402_RPC_URL: chain.rpcUrl,
      X402_RELAYER_KEY: poor.key,
    });

    const refusal = await refusalOf(broke.hold(await broke.pay(wallet)));

    expect(refusal.code).toBe('PAYMENT_UNAVAILABLE');
    expect(await broke.facilitator.state()).toBe('degraded');
    await broke.stop();
  });

  it.each([
    ['none', 1n],
    ['less than the limit of one transfer', 20_000_000_000_000n],
  ])('leaves a payment open while the relayer has %s, and charges it once afterwards', async (_, wei) => {
    const wallet = await funded(10_000n);
    const relayer = newWallet();
    await chain.setEth(relayer.address as Hex, 10n ** 18n);
    const poor = await X402World.open(ours.settings.databaseUrl!, {
      X402_FACILITATOR: 'local',
      X402_PAY_TO: PAY_TO,
      X402_RPC_URL: chain.rpcUrl,
      X402_RELAYER_KEY: relayer.key,
    });
    const before = await received();
    const { call, draft } = await poor.hold(await poor.pay(wallet));
    await chain.setEth(relayer.address as Hex, wei);

    const settlement = await poor.settle(call, draft);
    await chain.setEth(relayer.address as Hex, 10n ** 18n);
    await poor.sweep();
    await poor.sweep();

    expect(settlement.outcome).toBe('unknown'); // A 503, never a 402: the payment is good.
    expect(await poor.stateOf(draft.id)).toBe('charged');
    expect(await received()).toBe(before + 10_000n);
    await poor.stop();
  });

  it('takes the signature of a contract wallet, and refuses that of another owner', async () => {
    const [owner, stranger] = [newWallet(), newWallet()];
    await chain.smartWallets.deploy(owner.address as Hex);
    const address = await chain.smartWallets.addressOf(owner.address as Hex);
    await chain.usdc.mint(address, 10_000n);

    const { settlement } = await ours.buy(await ours.pay(owner, {}, { from: address }));
    const refusal = await refusalOf(ours.hold(await ours.pay(stranger, {}, { from: address })));

    expect(settlement.outcome).toBe('charged');
    expect(refusal.code).toBe('INVALID_PAYMENT');
  });

  it('refuses a wallet that holds too little before anything runs', async () => {
    const wallet = await funded(9_999n);

    const refusal = await refusalOf(ours.hold(await ours.pay(wallet)));

    expect(refusal.code).toBe('INSUFFICIENT_FUNDS');
  });

  it('leaves no gap behind a transaction that the network dropped', async () => {
    const hasty = await X402World.open(
      ours.settings.databaseUrl!,
      {
        X402_FACILITATOR: 'local',
        X402_PAY_TO: PAY_TO,
        X402_RPC_URL: chain.rpcUrl,
        X402_RELAYER_KEY: chain.accounts[4]!.privateKey,
      },
      ({ settings, metrics }) => new LocalFacilitator(settings.x402, metrics, 500),
    );
    const [first, second] = [await funded(10_000n), await funded(10_000n)];
    const lost = await hasty.hold(await hasty.pay(first));
    const next = await hasty.hold(await hasty.pay(second));
    await chain.pauseMining();

    const settling = await hasty.settle(lost.call, lost.draft);
    const pool = await chain.client.getTxpoolContent();
    const dropped = Object.values(pool.pending).flatMap((byNonce) => Object.values(byNonce));
    for (const { hash } of dropped) await chain.client.dropTransaction({ hash });
    await chain.resumeMining();
    const landed = await hasty.settle(next.call, next.draft);
    await hasty.sweep();
    const found = await hasty.stateOf(lost.draft.id);
    await hasty.stop();

    expect(dropped).toHaveLength(1);
    expect([settling.outcome, landed.outcome, found]).toEqual(['unknown', 'charged', 'charged']);
    expect(await chain.usdc.balanceOf(first.address)).toBe(0n);
  });

  it('settles with another wallet once its key has changed, and sees through what the one before has sent', async () => {
    const [before, after] = [chain.accounts[5]!, chain.accounts[6]!];
    let relayerKey = before.privateKey;
    const changing = await X402World.open(
      ours.settings.databaseUrl!,
      {
        X402_FACILITATOR: 'local',
        X402_PAY_TO: PAY_TO,
        X402_RPC_URL: chain.rpcUrl,
        X402_RELAYER_KEY: relayerKey,
      },
      ({ settings, metrics }) => {
        const live = {
          ...settings.x402,
          get relayerKey() {
            return relayerKey;
          },
        };
        return new LocalFacilitator(live, metrics);
      },
    );
    const held: Awaited<ReturnType<X402World['hold']>>[] = [];
    for (let calls = 0; calls < 3; calls += 1)
      held.push(await changing.hold(await changing.pay(await funded(10_000n))));
    const settle = (n: number) => changing.settle(held[n]!.call, held[n]!.draft);
    const pendingOf = async ({ address }: { readonly address: string }): Promise<number> => {
      const { pending } = await chain.client.getTxpoolContent();
      const own = Object.entries(pending).filter(([from]) => from.toLowerCase() === address.toLowerCase());
      return own.flatMap(([, byNonce]) => Object.values(byNonce)).length;
    };
    const sent = (first: number, second: number) =>
      expectEventually(
        async () => (await pendingOf(before)) === first && (await pendingOf(after)) === second,
      );
    await chain.pauseMining();

    const settling = [settle(0)];
    await sent(1, 0);
    relayerKey = after.privateKey;
    settling.push(settle(1));
    await sent(1, 1);
    // The operator restores the first key. Its relayer continues the numbers of its open transactions.
    relayerKey = before.privateKey;
    settling.push(settle(2));
    await sent(2, 1);
    await chain.resumeMining();
    const ended = await Promise.all(settling);
    await changing.stop();

    expect(ended.map(({ outcome }) => outcome)).toEqual(Array(3).fill('charged'));
  });

  it('sees money that moved on the chain and not in the books', async () => {
    const wallet = await funded(10_000n);
    const { draft } = await ours.hold(await ours.pay(wallet));
    const begun = await ours.payments.beginSettling(answerFor(draft), 'held');
    await ours.payments.released(draft.id, 'settling', 'refused');
    const before = await ours.book.drift();
    await others.facilitator.settle(begun!);

    const drift = await ours.book.drift();
    await ours.db.rows(`update x402_payment set created_at = now() - interval '1 day' where charge_id = $1`, [
      draft.id,
    ]);

    expect([before, drift]).toEqual([0n, 10_000n]);
  });

  it('reports its health', async () => {
    expect(await ours.facilitator.state()).toBe('ok');
  });

  /** Executes another authorization of the same wallet, to another recipient. */
  const carryOut = async (key: Hex, fields: { value: bigint; nonce?: Hex }): Promise<void> => {
    const to = chain.accounts[5]!.address;
    const { authorization, signature } = await signAuthorization(key, { to, ...fields });
    const { from, value, validAfter, validBefore, nonce } = authorization;
    await chain.client.sendTransaction({
      account: chain.accounts[3]!.address,
      to: USDC_ADDRESS,
      data: encodeFunctionData({
        abi: usdcAbi,
        functionName: 'transferWithAuthorization',
        args: [from, to, value, validAfter, validBefore, nonce, signature],
      }),
    });
  };
});
