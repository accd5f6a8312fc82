import { ChargeService } from '#money/billing/calls/charge.service';
import { ChargeRepository } from '#money/billing/charges/charge.repository';
import { LeaseKeeper } from '#money/billing/charges/lease-keeper';
import { PaymentRail } from '#money/billing/rails/rail';
import { Rails } from '#money/billing/rails/rails';
import { ChargeSweepProcessor } from '#money/billing/sweeps/charge-sweep.processor';
import { railClasses, railNames } from '#money/billing/rails/rail-order';
import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { RefundSweepProcessor } from '#work/jobs/refund-sweep.processor';
import { callersOf, signedPayment } from './rail-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { ChannelCaller } from '../support/channel-caller';
import { expectEventually } from '../support/eventually';
import { hostileWallet } from '../support/hostile-wallet';
import type { Answer, World } from '../support/world';
import { type ChannelStage, channelStage } from '../channels/channel-world';

type Headers = Readonly<Record<string, string>>;

const URL = '/v1/agent/generate';
const FUNDS = 20_000_000n;

/** A caller with its name in the ledger, a way to buy, and a proof that it owns its jobs. */
interface Buyer {
  readonly account: string;
  readonly buy: (body: object, url?: string) => Promise<Answer>;
  readonly proof: () => Promise<Headers>;
}

const walletBuyer = async (
  { world }: ChannelStage,
  caller: WalletCaller,
  buy: Buyer['buy'],
): Promise<Buyer> => ({
  account: `wallet:${caller.wallet.toLowerCase()}`,
  buy,
  proof: async () => ({ 'sign-in-with-x': await caller.signIn(world) }),
});

/** The kinds of payers, by rail. A rail of prepaid money that is not listed here uses the callers of its fixture. */
const BUYERS: Readonly<Record<string, readonly ((stage: ChannelStage) => Promise<Buyer>)[]>> = {
  x402: [
    async (stage) => {
      const caller = new WalletCaller();
      await stage.chain.usdc.mint(caller.account.address, FUNDS);
      return walletBuyer(stage, caller, async (body, url = URL) =>
        stage.world.post(url, body, {
          'payment-signature': await signedPayment(stage.world, caller, body, { url }),
        }),
      );
    },
  ],
  channel: [
    async (stage) => {
      const caller = await new ChannelCaller(stage.chain).minted(FUNDS);
      return walletBuyer(stage, caller, (body, url = URL) => caller.buy(stage.world, url, body));
    },
    async (stage) => {
      const wallet = await hostileWallet(stage.chain, 'Fickle');
      const caller = await new ChannelCaller(stage.chain, 0n, wallet).minted(FUNDS);
      return walletBuyer(stage, caller, (body, url = URL) => caller.buy(stage.world, url, body));
    },
  ],
  'api-key': [
    async ({ world }) => {
      const { key, accountId } = await KeyCaller.register(world, FUNDS);
      const headers = { 'x-api-key': key };
      return {
        account: `credits:${accountId}`,
        buy: (body, url = URL) => world.post(url, body, headers),
        proof: () => Promise.resolve(headers),
      };
    },
  ],
  wallet: [
    async (stage) => {
      const caller = await new WalletCaller().fund(stage.world, FUNDS);
      return walletBuyer(stage, caller, async (body, url = URL) =>
        stage.world.post(url, body, { 'sign-in-with-x': await caller.signIn(stage.world) }),
      );
    },
  ],
};

/** The ends of work: at once, after the charge, or by the caller. */
const ENDS = {
  refused: { prompt: 'a lamp [[reject]]', state: 'released' },
  done: { prompt: 'a lamp', state: 'charged' },
  'failed late': { prompt: 'a lamp [[delay 1s]] [[fail]]', state: 'refunded' },
  cancelled: { prompt: 'a lamp [[delay 600s]]', state: 'refunded' },
} as const;
type End = keyof typeof ENDS;

/** The ends of work by use. Its price is known only at the end, so it is charged only then. */
const USES = {
  refused: { prompt: '[[reject]]', stream: false, state: 'released' },
  'refused in a stream': { prompt: '[[reject]]', stream: true, state: 'released' },
  done: { prompt: '[[tokens 200]]', stream: false, state: 'charged' },
  streamed: { prompt: '[[tokens 200]]', stream: true, state: 'charged' },
  'left by a dead process': { prompt: '[[tokens 200]]', stream: false, state: 'released' },
  'failed later': { prompt: '[[tokens 200]]', stream: false, state: 'refunded' },
} as const;
type Use = keyof typeof USES;

const KINDS = railNames().flatMap((rail) => (BUYERS[rail] ?? [undefined]).map((_, kind) => ({ rail, kind })));
const CELLS = KINDS.flatMap((cell) => (Object.keys(ENDS) as End[]).map((end) => ({ ...cell, end })));
const CELLS_BY_USE = KINDS.flatMap((cell) => (Object.keys(USES) as Use[]).map((end) => ({ ...cell, end })));

/** The prefix of the rail's accounts of prepaid money. */
const accountsOf = (rail: string): string | undefined =>
  railClasses().find(({ facts }) => facts.name === rail)?.facts.accounts;

const buyerOf = async (stage: ChannelStage, rail: string, kind: number): Promise<Buyer> => {
  const make = BUYERS[rail]?.[kind];
  if (make !== undefined) return make(stage);
  const accounts = accountsOf(rail);
  if (accounts === undefined) throw new Error(`The rail ${rail} has no buyer in late-outcomes.spec.ts.`);
  const caller = await callersOf(rail).caller(stage.world, FUNDS);
  return {
    account: `${accounts}:${caller.payer}`,
    buy: async (body, url = URL) =>
      stage.world.post(url, body, await caller.credential(body, undefined, url)),
    proof: () => caller.credential({}),
  };
};

describe.each([true, false])('the end of work, with late failures credited: %s', (givesBack) => {
  let stage: ChannelStage;
  let world: World;

  beforeAll(async () => {
    stage = await channelStage({ X402_LATE_FAILURE_CREDIT: String(givesBack) });
    ({ world } = stage);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await world.expectBooksToBalance();
  });
  afterAll(() => stage.stop());

  /** Claims what is owed, and looks at every job that waits for its refund. */
  const settleLater = async () => {
    await world.app.get(ChannelClaims, { strict: false }).claimOwed();
    await world.db.rows('update sweep_pause set retry_at = now()');
    await world.app.get(RefundSweepProcessor, { strict: false }).run();
  };

  const factsOf = async (payer: string) => {
    const [facts] = await world.db.rows<{
      state: string;
      settled: boolean | null;
      price: number;
      id: string;
    }>(
      `select c.state, j.settled_late as settled, c.price_micro::integer as price, c.id
       from charge c left join job j on j.charge_id = c.id where c.payer = $1`,
      [payer.split(':')[1]],
    );
    return facts!;
  };

  /** The entries and the balance agree with the end of the charge. */
  const expectBooks = async (account: string, isPrepaid: boolean, expected: string) => {
    const { price, id } = await factsOf(account);
    const entries = await world.db.rows<{ account: string; kind: string; micro: number }>(
      `select account_id as account, kind, amount_micro::integer as micro from ledger_entry where charge_id = $1 order by seq`,
      [id],
    );
    const debits = entries.filter(({ kind }) => kind === 'debit');
    const sum = (kind: string) =>
      entries.filter((one) => one.kind === kind).reduce((all, { micro }) => all + micro, 0);
    const kept = expected === 'charged' ? price : 0;
    expect(entries.every((one) => one.account === account && one.micro > 0)).toBe(true);
    expect(debits).toHaveLength(isPrepaid ? debits.length : 0);
    expect(sum('debit') - sum('refund')).toBe(isPrepaid ? kept : expected === 'refunded' ? -price : 0);
    const balance = await world.db.one<{ micro: string }>(
      'select balance_micro::text as micro from ledger_account where id = $1',
      [account],
    );
    expect(Number(balance?.micro ?? 0)).toBe(
      isPrepaid ? Number(FUNDS) - kept : expected === 'refunded' ? price : 0,
    );
  };

  it.each(CELLS)('is right in the books for $rail ($kind), $end', async ({ rail, kind, end }) => {
    const buyer = await buyerOf(stage, rail, kind);
    const { prompt, state } = ENDS[end];
    const isPrepaid = accountsOf(rail) !== undefined;
    const answer = await buyer.buy({ prompt, duration: 4, mode: 'text-to-video' });
    expect(answer.status).toBe(end === 'refused' ? 502 : 200);
    if (end === 'cancelled') {
      const url = `/v1/agent/jobs/${answer.body.jobId}/cancel`;
      const said = await world.send({ method: 'POST', url, headers: await buyer.proof() });
      // Without a credit nobody would cancel.
      expect(said.status).toBe(isPrepaid || givesBack ? 200 : 409);
    }
    const expected = state === 'refunded' && !isPrepaid && !givesBack ? 'charged' : state;
    await expectEventually(async () => {
      await settleLater();
      const facts = await factsOf(buyer.account);
      return facts.state === expected && (end !== 'failed late' || facts.settled === true);
    });
    await settleLater();

    const { price, id } = await factsOf(buyer.account);
    const entries = await world.db.rows<{ account: string; kind: string; micro: number }>(
      `select account_id as account, kind, amount_micro::integer as micro from ledger_entry where charge_id = $1 order by seq`,
      [id],
    );
    const entry = (which: string) => ({ account: buyer.account, kind: which, micro: price });
    expect(entries).toEqual([
      ...(isPrepaid ? [entry('debit')] : []),
      ...(expected === 'refunded' || (isPrepaid && expected === 'released') ? [entry('refund')] : []),
    ]);
    const balance = await world.db.one<{ micro: string }>(
      'select balance_micro::text as micro from ledger_account where id = $1',
      [buyer.account],
    );
    const kept = expected === 'charged' ? BigInt(price) : 0n;
    const credit = expected === 'refunded' ? BigInt(price) : 0n;
    expect(BigInt(balance?.micro ?? 0)).toBe(isPrepaid ? FUNDS - kept : credit);
  });

  it.each(CELLS_BY_USE)(
    'is right in the books by use for $rail ($kind), $end',
    async ({ rail, kind, end }) => {
      const buyer = await buyerOf(stage, rail, kind);
      const { prompt, state, stream } = USES[end];
      const get = <T>(of: abstract new (...args: never[]) => T): T => world.app.get(of, { strict: false });
      const charges = get(ChargeService);
      const messages = [{ role: 'user', content: `say it ${prompt}` }];
      if (end === 'left by a dead process')
        jest.spyOn(charges, 'capture').mockRejectedValueOnce(new Error('The process has died.'));

      const answer = await buyer
        .buy({ model: 'lumen-flash', messages, max_tokens: 4_000, stream }, '/v1/chat/completions')
        .catch((error: unknown) => error as Error);

      // A payment of a fixed amount can't pay a call by use.
      if (get(Rails).of(rail).capture === PaymentRail.prototype.capture) {
        expect(answer instanceof Error ? 402 : answer.status).toBe(402);
        expect(await factsOf(buyer.account)).toBeUndefined();
        return;
      }
      const { id } = await factsOf(buyer.account);
      if (end === 'left by a dead process') {
        get(LeaseKeeper).letGo(id);
        await world.db.rows(`update charge set lease_until = now() - interval '1 second' where id = $1`, [
          id,
        ]);
        await expectEventually(async () => {
          await get(ChargeSweepProcessor).run();
          return (await factsOf(buyer.account)).state !== 'held';
        });
      }
      const isPrepaid = accountsOf(rail) !== undefined;
      const refunds = isPrepaid || givesBack;
      if (end === 'failed later' && refunds)
        await expectEventually(async () => {
          await settleLater();
          return charges.refund((await get(ChargeRepository).find(id))!);
        });
      const expected = state === 'refunded' && !refunds ? 'charged' : state;
      expect((await factsOf(buyer.account)).state).toBe(expected);
      await expectBooks(buyer.account, isPrepaid, expected);
      // A second refund changes nothing.
      if (expected === 'charged') return;
      await charges.refund((await get(ChargeRepository).find(id))!);
      await expectBooks(buyer.account, isPrepaid, expected);
    },
  );
});
