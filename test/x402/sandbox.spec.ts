import type { PaidCall } from '#money/billing/calls/paid-call';
import type { CheckedPayment } from '#money/billing/rails/x402/proof/payment-check';
import { cloneDatabase } from '../support/postgres';
import { X402World, answerFor, decodeHeader, newWallet } from './x402-world';

const NOTHING_OPEN = { open: 0n, openCount: 0 };

describe('paying by call with the sandbox facilitator', () => {
  let ours: X402World;
  let others: X402World;

  beforeAll(async () => {
    const url = await cloneDatabase();
    ours = await X402World.open(url);
    others = await X402World.open(url);
  });

  afterEach(async () => {
    ours.clock.putForward(0);
    await ours.expectBooks();
  });

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
    expect(decodeHeader(headers['payment-response'])).toMatchObject({
      success: true,
      network: 'eip155:8453',
      amount: '10000',
    });
    expect(decodeHeader(headers['x-payment-response'])).toMatchObject({ success: true, network: 'base' });
    expect(await ours.rail.receiptHeaders(id)).toEqual(headers);
    expect(await ours.facilitator.balanceOf(wallet.address)).toBe(15_000n);
    expect(await ours.payerRow(wallet)).toEqual({ ...NOTHING_OPEN, strikes: 0, paidIn: 10_000n });
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

  it('answers fifty late twins of a settled call as twins', async () => {
    const header = await ours.pay(newWallet());
    const calls = await Promise.all(Array.from({ length: 10 }, () => others.identified(header)));
    await ours.buy(header);

    const holds = await Promise.all(calls.map((call) => others.rail.hold(call, others.draftOf(call))));

    expect(new Set(holds.map((held) => (held.ok ? 'held' : held.reason)))).toEqual(new Set(['duplicate']));
  });

  it('shows a settled payment its own call, long after it could pay for a new one', async () => {
    const header = await ours.pay(newWallet());
    const { id } = await ours.buy(header);
    ours.clock.putForward(7_200);

    const again = await ours.identified(header);

    expect(await ours.rail.earlier(again, again.payer!)).toBe(id);
  });

  it('runs only as many parallel calls of a poor wallet as it can pay', async () => {
    const wallet = newWallet();
    await ours.sandboxFunds(wallet, 45_000n);
    const headers = await Promise.all(Array.from({ length: 30 }, () => ours.pay(wallet)));

    const holds = await Promise.all(headers.map((header, n) => (n % 2 ? ours : others).hold(header)));
    const won = holds.filter(({ held }) => held.ok);
    await Promise.all(won.map(({ call, draft }) => ours.settle(call, draft)));

    expect(won).toHaveLength(4);
    expect(holds.filter(({ held }) => !held.ok && held.reason === 'short')).toHaveLength(26);
    expect(await ours.payerRow(wallet)).toEqual({ ...NOTHING_OPEN, strikes: 0, paidIn: 40_000n });
  });

  it('cannot be tricked by a balance that was read before another call settled', async () => {
    const wallet = newWallet();
    await ours.sandboxFunds(wallet, 10_000n);
    const first = await ours.hold(await ours.pay(wallet));
    const second = await ours.identified(await ours.pay(wallet));
    await ours.settle(first.call, first.draft);
    const { payment } = (second.payer!.proof as { offer: { payment: never } }).offer;
    const seen = { balance: 10_000n as never, paidIn: 0n as never };

    const claim = await ours.payments.claim(ours.draftOf(second), payment, undefined, seen);

    expect(claim).toBe('short');
  });

  it('withholds the answer of a wallet that was emptied meanwhile, and opens one call at a time from then on', async () => {
    const wallet = newWallet();
    await ours.sandboxFunds(wallet, 10_000n);
    const { call, draft } = await ours.hold(await ours.pay(wallet));
    await ours.sandboxFunds(wallet, 0n);

    const settlement = await ours.settle(call, draft);
    await ours.sandboxFunds(wallet, 1_000_000n);
    const headers = await Promise.all(Array.from({ length: 10 }, () => ours.pay(wallet)));
    const holds = await Promise.allSettled(headers.map((header) => ours.hold(header)));
    await ours.sweep('not-done');

    expect(settlement).toMatchObject({ outcome: 'failed', error: { code: 'INSUFFICIENT_FUNDS' } });
    expect(await ours.db.rows('select from replay where charge_id = $1', [draft.id])).toEqual([]);
    expect(holds.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(holds.filter(({ status }) => status === 'rejected')).toHaveLength(9);
  });

  describe('calls that are claimed together', () => {
    const claim = async (call: PaidCall): Promise<string> => {
      const { payment } = (call.payer!.proof as CheckedPayment).offer;
      return ours.payments.claim(ours.draftOf(call), payment, undefined, { paidIn: 0n as never });
    };

    it('of a payer who left us unpaid open one of them', async () => {
      const wallet = newWallet();
      await ours.db.rows('insert into x402_payer (payer, strikes) values ($1, 1)', [wallet.address]);
      const other = await ours.identified(await ours.pay(newWallet()));
      const both = [
        await ours.identified(await ours.pay(wallet)),
        await ours.identified(await ours.pay(wallet)),
      ];

      const claims = await Promise.all([other, ...both].map(claim));
      await ours.sweep('not-done');

      expect(claims).toEqual(['claimed', 'claimed', 'one-at-a-time']);
    });

    it('claim a nonce once, and count every call of a payer', async () => {
      const wallet = newWallet();
      const other = await ours.identified(await ours.pay(newWallet()));
      const twin = await ours.identified(await ours.pay(wallet));
      const third = await ours.identified(await ours.pay(wallet));

      const claims = await Promise.all([other, twin, twin, third].map(claim));
      const row = await ours.payerRow(wallet);
      await ours.sweep('not-done');

      expect(claims).toEqual(['claimed', 'claimed', 'taken', 'claimed']);
      expect(row).toEqual({ open: 20_000n, openCount: 2, strikes: 0, paidIn: 0n });
    });

    it('are settled together, each once, and all of it is paid in', async () => {
      const wallet = newWallet();
      const held = await Promise.all(
        Array.from({ length: 12 }, async () => ours.hold(await ours.pay(wallet))),
      );

      const settled = await Promise.all(
        held.flatMap(({ call, draft }) => [ours.settle(call, draft), others.settle(call, draft)]),
      );

      expect(settled.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(await ours.payerRow(wallet)).toEqual({ ...NOTHING_OPEN, strikes: 0, paidIn: 120_000n });
    });
  });

  it('fails a payment that ended before it was settled', async () => {
    const { call, draft } = await ours.hold(await ours.pay(newWallet()));
    ours.clock.putForward(7_200);

    const settlement = await ours.settle(call, draft);

    expect(settlement).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_PAYMENT' } });
  });

  it('takes the same signature again after a release, for any call of its price', async () => {
    const wallet = newWallet();
    const header = await ours.pay(wallet, {}, { plain: true, paymentId: 'order-0000000000001' });
    const first = await ours.hold(header);
    const released = await ours.rail.release(first.draft.id);

    const other = { body: { prompt: 'a blue whale' } };
    const { id, settlement } = await ours.buy(header, other);

    expect(released).toBe(true);
    expect(await ours.rail.release(first.draft.id)).toBe(false);
    expect(settlement.outcome).toBe('charged');
    expect(await ours.stateOf(id)).toBe('charged');
    expect(await ours.rail.receiptHeaders(first.draft.id)).toEqual({});
  });

  it('lets only one of many claim a released signature again', async () => {
    const header = await ours.pay(newWallet());
    const first = await ours.hold(header);
    await ours.rail.release(first.draft.id);

    const holds = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? ours : others).hold(header)),
    );
    await ours.sweep('not-done');

    expect(holds.filter(({ held }) => held.ok)).toHaveLength(1);
  });

  describe('a deposit', () => {
    const TOP_UP = { operation: 'top_up', price: 5_000_000n, url: '/v1/agent/x402/top-up' } as const;

    it('credits the paying wallet once, however often the payment is settled', async () => {
      const wallet = newWallet();
      const { call, draft } = await ours.hold(await ours.pay(wallet, TOP_UP), TOP_UP);
      await ours.settle(call, draft);
      const { transaction = '', logIndex = -1 } = (await ours.payments.find(draft.id))!;
      const transfer = { transaction, logIndex };

      const repeated = await Promise.all([
        ours.payments.charged(draft.id, transfer, false),
        others.payments.charged(draft.id, transfer, false),
        others.settle(call, draft),
      ]);

      expect(repeated).toMatchObject(['decided', 'decided', { outcome: 'charged' }]);
      expect(await ours.balanceOf(wallet)).toBe(5_000_000n);
      const entries = await ours.db.rows(
        'select kind, amount_micro, source, transaction from ledger_entry where account_id = $1',
        [`wallet:${wallet.address}`],
      );
      expect(entries).toEqual([
        { kind: 'top_up', amount_micro: '5000000', source: `x402:${draft.id}`, transaction },
      ]);
    });

    it('is credited, and a job has its event, whatever else is written in the same moment', async () => {
      const wallet = newWallet();
      const held = await Promise.all(
        [{}, TOP_UP, {}, {}, TOP_UP].map(async (call) => ours.hold(await ours.pay(wallet, call), call)),
      );
      const drafts = held.map(({ draft }) => draft);
      await ours.db.rows(
        `insert into job (id, charge_id, owner, kind, mode, model_id, status, usual_seconds, deadline_at)
         values ('job_mixed', $1, $2, 'image', 't2i', 'ember', 'running', 5, now())`,
        [drafts[2]!.id, wallet.address],
      );
      const transfers = await Promise.all(
        drafts.map(async (draft) => {
          const begun = await ours.payments.beginSettling(answerFor(draft), 'held');
          const attempt = await ours.facilitator.settle(begun!);
          if (attempt.outcome !== 'settled') throw new Error(attempt.outcome);
          return attempt;
        }),
      );
      const charged = (n: number) => ours.payments.charged(drafts[n]!.id, transfers[n]!, false);

      const reported = await Promise.all([0, 1, 2, 0, 3, 1, 4].map(charged));

      expect(reported).toEqual(['charged', 'charged', 'charged', 'decided', 'charged', 'decided', 'charged']);
      expect(await ours.balanceOf(wallet)).toBe(10_000_000n);
      const events = await ours.db.rows(
        `select data->>'id' as id from event where owner = $1 and type = 'job.accepted'`,
        [wallet.address],
      );
      expect(events).toEqual([{ id: 'job_mixed' }]);
    });

    it('credits once when the process and the sweep settle together', async () => {
      const wallet = newWallet();
      const { call, draft } = await ours.hold(await ours.pay(wallet, TOP_UP), TOP_UP);
      const charge = (await ours.charges.find(draft.id))!;

      await Promise.all([ours.settle(call, draft), others.rail.recover(charge, 'done')]);
      await ours.sweep();

      expect(await ours.stateOf(draft.id)).toBe('charged');
      expect(await ours.balanceOf(wallet)).toBe(5_000_000n);
    });

    it('is never refunded as a late failure', async () => {
      const wallet = newWallet();
      const { id } = await ours.buy(await ours.pay(wallet, TOP_UP), TOP_UP);

      expect(await ours.rail.refund(id)).toBe(false);
      expect(await ours.balanceOf(wallet)).toBe(5_000_000n);
    });
  });

  describe('work that fails after it was paid for', () => {
    it('puts the price on the balance of the payer, once', async () => {
      const wallet = newWallet();
      const { id } = await ours.buy(await ours.pay(wallet));

      const credits = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? ours : others).rail.refund(id)),
      );

      expect(credits.filter(Boolean)).toHaveLength(1);
      expect(await ours.stateOf(id)).toBe('refunded');
      expect(await ours.balanceOf(wallet)).toBe(10_000n);
      expect((await ours.payerRow(wallet)).paidIn).toBe(10_000n);
    });

    it('is kept where the operator says so', async () => {
      const keeping = await X402World.open(ours.settings.databaseUrl!, { X402_LATE_FAILURE_CREDIT: 'false' });
      const { id } = await keeping.buy(await keeping.pay(newWallet()));

      const credited = await keeping.rail.refund(id);
      await keeping.stop();

      expect(credited).toBe(false);
    });
  });

  describe('a process that dies', () => {
    it('before its work was done costs nothing', async () => {
      const wallet = newWallet();
      const { draft } = await ours.hold(await ours.pay(wallet));

      await others.sweep('not-done');
      await others.sweep('not-done');

      expect(await ours.stateOf(draft.id)).toBe('released');
      expect(await ours.payerRow(wallet)).toEqual({ ...NOTHING_OPEN, strikes: 0, paidIn: 0n });
    });

    it('with work of unknown state leaves the charge as it is', async () => {
      const { draft } = await ours.hold(await ours.pay(newWallet()));

      await others.sweep('unknown');
      const state = await ours.stateOf(draft.id);
      await others.sweep('not-done');

      expect(state).toBe('held');
    });

    it('after its work was done is settled for', async () => {
      const wallet = newWallet();
      const { draft } = await ours.hold(await ours.pay(wallet));

      await Promise.all([others.sweep('done'), ours.sweep('done')]);

      expect(await ours.stateOf(draft.id)).toBe('charged');
      expect((await ours.payerRow(wallet)).paidIn).toBe(10_000n);
    });

    it('between the intent and the facilitator is settled for', async () => {
      const { draft } = await ours.hold(await ours.pay(newWallet()));
      await ours.payments.beginSettling(answerFor(draft), 'held');

      await others.sweep('not-done');

      expect(await ours.stateOf(draft.id)).toBe('charged');
    });

    it('between the facilitator and the books is settled for by what moved', async () => {
      const wallet = newWallet();
      await ours.sandboxFunds(wallet, 10_000n);
      const { draft } = await ours.hold(await ours.pay(wallet));
      const begun = await ours.payments.beginSettling(answerFor(draft), 'held');
      await ours.facilitator.settle(begun!);

      await others.sweep('done');

      expect(await ours.stateOf(draft.id)).toBe('charged');
      expect(await ours.facilitator.balanceOf(wallet.address)).toBe(0n);
    });
  });

  it('reads the tier of what was paid in, and of nothing else', async () => {
    const wallet = newWallet();
    await ours.db.rows('insert into x402_payer (payer, paid_in_micro) values ($1, 499999999)', [
      wallet.address,
    ]);

    const percents = [await ours.tiers.percentOf(wallet.address)];
    await ours.db.rows('update x402_payer set paid_in_micro = 500000000 where payer = $1', [wallet.address]);
    percents.push(await others.tiers.percentOf(wallet.address));
    await ours.db.rows('update x402_payer set paid_in_micro = 0 where payer = $1', [wallet.address]);

    expect(percents).toEqual([5, 10]);
  });
});
