import fc from 'fast-check';

import type { ChargeDraft, Held } from '#money/billing/charges/charge';
import type { LedgerRepository } from '#money/billing/ledger/ledger.repository';
import { micro } from '#kernel/money';
import type { LedgerModel, ModelCharge, ModelPayer } from './ledger-model';

export interface Real {
  /** Two processes on one database. */
  readonly ledgers: readonly [LedgerRepository, LedgerRepository];
  /** Makes the sources of money of this run unique. */
  readonly run: string;
}

type Command = fc.AsyncCommand<LedgerModel, Real>;

const command = (name: string, run: (model: LedgerModel, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

const payerAt = ({ payers }: LedgerModel, at: number): ModelPayer => payers[at % payers.length]!;
const chargeAt = ({ charges }: LedgerModel, at: number): ModelCharge | undefined =>
  charges.length === 0 ? undefined : charges[at % charges.length];
const ledgerAt = ({ ledgers }: Real, at: number): LedgerRepository => ledgers[at % 2]!;
const outcomeOf = (held: Held): string => (held.ok ? 'held' : held.reason);

const expectBalances = async (model: LedgerModel, real: Real): Promise<void> => {
  for (const payer of model.payers) {
    expect(await real.ledgers[0].balances.of(payer.account)).toBe(model.balanceOf(payer));
  }
};

const topUp = (at: number, amount: bigint, source: number): Command =>
  command(`topUp(${at}, ${amount}, source ${source})`, async (model, real) => {
    const payer = payerAt(model, at);
    const name = `test:${real.run}:${source}`;

    const reported = await ledgerAt(real, source).topUp(payer.account, micro(amount), name);

    expect(reported).toBe(model.topUp(payer, amount, name));
  });

const hold = (at: number, price: bigint, mark: string | undefined, place: number): Command =>
  command(`hold(${at}, ${price}, ${mark ?? 'no mark'})`, async (model, real) => {
    const payer = payerAt(model, at);
    const draft = model.draft(payer, price, mark);
    const refusals = model.refusals(payer, draft);

    const held = await ledgerAt(real, place).hold(draft);

    if (refusals.length > 0) {
      expect(refusals).toContain(outcomeOf(held));
      return;
    }
    model.hold(payer, draft);
    expect(held).toEqual({ ok: true, balance: model.balanceOf(payer) });
  });

interface Draft {
  readonly at: number;
  readonly price: bigint;
  readonly mark: string | undefined;
}

/** Concurrent holds: any of them may succeed, but each result must be right after all that succeeded. */
const burst = (drawn: readonly Draft[]): Command =>
  command(
    `burst(${drawn.map(({ at, price, mark }) => `${at}:${price}:${mark ?? '-'}`).join(' ')})`,
    async (model, real) => {
      const drafts = drawn.map(({ at, price, mark }) => {
        const payer = payerAt(model, at);
        return { payer, draft: model.draft(payer, price, mark) };
      });

      const holds = await Promise.all(drafts.map(({ draft }, n) => ledgerAt(real, n).hold(draft)));

      drafts.forEach(({ payer, draft }, n) => {
        if (!holds[n]!.ok) return;
        // Each successful hold must be valid together with all others, in any order: sums and idempotency keys have no
        // order.
        expect(model.refusals(payer, draft)).toEqual([]);
        model.hold(payer, draft);
      });
      drafts.forEach(({ payer, draft }, n) => {
        const held = holds[n]!;
        if (held.ok) return;
        // A burst releases nothing, so the reason for a refusal still exists afterwards.
        expect(model.refusals(payer, draft)).toContain(held.reason);
      });
    },
  );

type Move = 'settle' | 'release' | 'refund';

const carryOut = async (ledger: LedgerRepository, move: Move, { id }: ChargeDraft): Promise<boolean> => {
  if (move === 'settle') return ledger.settle({ chargeId: id, watched: false });
  return (await ledger[move](id)) !== undefined;
};

/** One move, or several concurrent moves of one charge, of which at most one may succeed. */
const decide = (at: number, moves: readonly Move[]): Command =>
  command(`decide(${at}, ${moves.join(' | ')})`, async (model, real) => {
    const charge = chargeAt(model, at);
    if (charge === undefined) return;
    const possible = moves.some((move) => charge.state === (move === 'refund' ? 'charged' : 'held'));

    const moved = await Promise.all(moves.map((move, n) => carryOut(ledgerAt(real, n), move, charge.draft)));

    // A settlement and a refund of the same charge may both succeed. The model applies them in the only possible order.
    for (const move of ['settle', 'release', 'refund'] as const) {
      if (moves.some((one, n) => one === move && moved[n])) expect(model[move](charge)).toBe(true);
    }
    for (const move of new Set(moves)) {
      expect(moves.filter((one, n) => one === move && moved[n]).length).toBeLessThanOrEqual(1);
    }
    expect(moved.some(Boolean)).toBe(possible);
  });

const balances = command('balances', expectBalances);

const place = fc.nat(11);
const price = fc.bigInt(1n, 400n);
const mark = fc.option(fc.constantFrom('key:mark-aaaa', 'key:mark-bbbb', 'key:mark-cccc'), {
  nil: undefined,
  freq: 2,
});
const move = fc.constantFrom<Move>('settle', 'release', 'refund');

export const commands = (): fc.Arbitrary<Iterable<Command>> =>
  fc.commands(
    [
      fc.tuple(place, fc.bigInt(1n, 1_000n), fc.nat(30)).map((args) => topUp(...args)),
      fc.tuple(place, price, mark, place).map((args) => hold(...args)),
      fc
        .array(fc.record({ at: place, price, mark }), { minLength: 2, maxLength: 12 })
        .map((drawn) => burst(drawn)),
      fc.tuple(fc.nat(60), fc.array(move, { minLength: 1, maxLength: 4 })).map((args) => decide(...args)),
      fc.constant(balances),
    ],
    { maxCommands: 60, size: '+1' },
  );
