import fc from 'fast-check';

import type { Answer } from '../support/world';
import type { Headers, RailCaller } from '../contract/rail-callers';

const PRICE = 2_000n;

/** The prompts of a caller; the provider refuses the third. */
const WORDS = ['Say something short.', 'Say another thing.', 'Say no. [[reject]]'] as const;
const REFUSED = 2;

export interface ModelCaller {
  readonly rail: string;
  balance: bigint;
  /** The prompt of each mark, and the charge that paid for it. */
  readonly marks: Map<string, { readonly words: number; readonly chargeId: string }>;
}

interface CallsModel {
  readonly callers: readonly ModelCaller[];
}

interface RealCalls {
  readonly callers: readonly RailCaller[];
  readonly post: (body: object, headers: Headers) => Promise<Answer>;
}

type Command = fc.AsyncCommand<CallsModel, RealCalls>;

const bodyOf = (words: number, more: object = {}): object => ({
  messages: [{ role: 'user', content: WORDS[words] }],
  max_tokens: 64,
  ...more,
});

const codeOf = ({ status, body }: Answer): string =>
  status === 200 ? '200' : `${status} ${body.error.code}`;

const send = async (
  { callers, post }: RealCalls,
  who: number,
  body: object,
  headers: Headers = {},
): Promise<Answer> => {
  const credential = await callers[who]!.credential(bodyOf(0), PRICE);
  return post(body, { ...credential, ...headers });
};

/** The right answer, by the order of decisions: the mark first, then the money, then the provider. */
const expectedOf = (caller: ModelCaller, words: number, mark: string | undefined): string => {
  const first = mark === undefined ? undefined : caller.marks.get(mark);
  if (first !== undefined) return first.words === words ? '200' : '422 IDEMPOTENCY_MISMATCH';
  if (caller.balance < PRICE) return '402 INSUFFICIENT_FUNDS';
  return words === REFUSED ? '502 PROVIDER_ERROR' : '200';
};

const call = (who: number, words: number, mark: string | undefined): Command => ({
  check: () => true,
  toString: () => `call(${who}, ${words}, ${mark ?? 'no mark'})`,
  run: async (model, real) => {
    const caller = model.callers[who]!;
    const first = mark === undefined ? undefined : caller.marks.get(mark);
    const expected = expectedOf(caller, words, mark);

    const answer = await send(
      real,
      who,
      bodyOf(words),
      mark === undefined ? {} : { 'idempotency-key': mark },
    );

    expect(`${caller.rail} ${codeOf(answer)}`).toBe(`${caller.rail} ${expected}`);
    expect(answer.headers['idempotent-replayed']).toBe(
      expected === '200' && first !== undefined ? 'true' : undefined,
    );
    if (first !== undefined && expected === '200') expect(answer.headers['x-charge-id']).toBe(first.chargeId);
    if (first !== undefined || expected !== '200') return;
    caller.balance -= PRICE;
    if (mark !== undefined)
      caller.marks.set(mark, { words, chargeId: String(answer.headers['x-charge-id']) });
  },
});

/** Several concurrent calls, with one idempotency key or with none. As many succeed as the money allows. */
const burst = (who: number, count: number, mark: string | undefined): Command => ({
  check: () => true,
  toString: () => `burst(${who}, ${count}, ${mark ?? 'no mark'})`,
  run: async (model, real) => {
    const caller = model.callers[who]!;
    const expected = expectedOf(caller, 0, mark);
    const known = mark !== undefined && caller.marks.has(mark);
    const headers: Headers = mark === undefined ? {} : { 'idempotency-key': mark };

    const answers = await Promise.all(
      Array.from({ length: count }, () => send(real, who, bodyOf(0), headers)),
    );

    if (mark !== undefined) {
      expect(new Set(answers.map(codeOf))).toEqual(new Set([expected]));
    }
    const ids = answers.filter(({ status }) => status === 200).map(({ headers: h }) => h['x-charge-id']);
    const bought = known ? 0 : new Set(ids).size;
    const affordable = Number(caller.balance / PRICE);
    if (mark === undefined) {
      expect(bought).toBe(ids.length);
      expect(bought).toBeLessThanOrEqual(affordable);
      // A payment by call may be refused while an equal one settles. Prepaid balances have no such case.
      if (caller.rail !== 'x402') expect(bought).toBe(Math.min(count, affordable));
    } else {
      expect(new Set(ids).size).toBeLessThanOrEqual(1);
    }
    caller.balance -= PRICE * BigInt(bought);
    if (mark !== undefined && bought === 1) caller.marks.set(mark, { words: 0, chargeId: String(ids[0]) });
  },
});

/** Calls that must change nothing: dry runs, price caps, invalid bodies and invalid quotes. */
const idle = (who: number, more: object, expected: string): Command => ({
  check: () => true,
  toString: () => `idle(${who}, ${JSON.stringify(more)})`,
  run: async ({ callers }, real) => {
    const caller = callers[who]!;
    const answer = await send(real, who, bodyOf(0, more));

    const short = caller.balance < PRICE && caller.rail !== 'x402' && expected === '200';
    expect(codeOf(answer)).toBe(short ? '402 INSUFFICIENT_FUNDS' : expected);
    expect(answer.headers['x-charge-id']).toBeUndefined();
  },
});

const who = fc.nat(2);
const mark = fc.option(fc.constantFrom('mark-aaaa', 'mark-bbbb', 'mark-cccc'), { nil: undefined, freq: 2 });

export const calls = (): fc.Arbitrary<Iterable<Command>> =>
  fc.commands(
    [
      fc.tuple(who, fc.nat(WORDS.length - 1), mark).map((args) => call(...args)),
      fc.tuple(who, fc.integer({ min: 2, max: 5 }), mark).map((args) => burst(...args)),
      who.map((at) => idle(at, { dryRun: true }, '200')),
      who.map((at) => idle(at, { maxPriceMicro: 1_999 }, '400 PRICE_ABOVE_MAX')),
      who.map((at) => idle(at, { quoteId: 'qt_forged' }, '409 QUOTE_MISMATCH')),
      who.map((at) => idle(at, { max_tokens: 0 }, '400 INVALID_REQUEST')),
    ],
    { maxCommands: 40, size: '+1' },
  );
