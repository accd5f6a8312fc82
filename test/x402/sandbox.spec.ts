import type { AppError } from '../../src/kernel/app-error';
import { cloneDatabase } from '../support/postgres';
import { X402World, callOf, decodeHeader, newWallet, refusalOf, requiredOf } from './x402-world';

describe('paying by call with the sandbox facilitator', () => {
  let ours: X402World;
  let others: X402World;

  beforeAll(async () => {
    const url = await cloneDatabase();
    ours = await X402World.open(url);
    others = await X402World.open(url);
  });

  afterEach(() => ours.expectBooks());

  afterAll(async () => {
    await ours.stop();
    await others.stop();
  });

  it('moves exactly the price, once, and proves it in the headers', async () => {
    const wallet = newWallet();
    await ours.sandboxFunds(wallet, 25_000n);

    const { id, settlement } = await ours.buy(await ours.pay(wallet));

    expect(settlement.outcome).toBe('charged');
    const headers = settlement.outcome === 'charged' ? settlement.headers : {};
    const receipt = decodeHeader(headers['payment-response']);
    expect(receipt).toMatchObject({ success: true, network: 'eip155:8453', amount: '10000' });
    expect(await ours.rail.receiptHeaders(id)).toEqual(headers);
    expect(await ours.facilitator.balanceOf(wallet.address)).toBe(15_000n);
    expect(await ours.payerRow(wallet)).toEqual({ open: 0n, openCount: 0, strikes: 0, paidIn: 10_000n });
  });

  it('lets fifty equal signatures through two processes hold once', async () => {
    const wallet = newWallet();
    const header = await ours.pay(wallet);

    const holds = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n % 2 ? ours : others).hold(header)),
    );

    const [won, ...more] = holds.filter(({ held }) => held.ok);
    expect(more).toEqual([]);
    expect(new Set(holds.map(({ held }) => (held.ok ? 'held' : held.reason)))).toEqual(
      new Set(['held', 'duplicate']),
    );
    const again = await ours.identified(header);
    expect(await ours.rail.earlier(again, again.payer!)).toBe(won!.draft.id);
    await ours.settle(won!.call, won!.draft);
    expect((await ours.payerRow(wallet)).paidIn).toBe(10_000n);
  });

  it('asks with requirements that say what is wrong', async () => {
    const call = callOf({ headers: { 'payment-signature': 'bm90IGpzb24=' } });

    const refusal: AppError = await refusalOf(ours.rail.identify(call));

    expect(refusal.code).toBe('INVALID_PAYMENT');
    expect(refusal.message).toContain('test wallets only');
    expect(requiredOf(refusal).error).toBe('malformed');
  });
});
