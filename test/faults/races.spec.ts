import {
  CHAT_URL,
  type Headers,
  RAIL_CALLERS,
  type RailCaller,
  signedPayment,
} from '../contract/rail-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { cloneDatabase } from '../support/postgres';
import type { Answer } from '../support/world';
import { Deployment } from './deployment';

const CHAT = { messages: [{ role: 'user', content: 'Say something short.' }], max_tokens: 64 };
/** (6 · 4.62 + 8000 · 23.08) · 10/3 micro-USD, rounded up. */
const COSTLY_MICRO = 615_560n;

const countOf = (answers: readonly Answer[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status === 200 ? '200' : `${status} ${body.error.code}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
};

jest.setTimeout(120_000);

describe('many at once, through two processes', () => {
  let deployment: Deployment;

  /** The calls alternate between the two processes. */
  const sendAll = (
    count: number,
    headersOf: (n: number) => Headers,
    body: object = CHAT,
  ): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: count }, (_, n) => deployment.post(n % 2, CHAT_URL, body, headersOf(n))),
    );
  const charged = async (payer: string): Promise<number> => {
    const sql = `select from charge where payer = $1 and state = 'charged'`;
    return (await deployment.db.rows(sql, [payer.toLowerCase()])).length;
  };
  const walletWith = (rail: 'x402' | 'wallet', money: bigint): Promise<RailCaller> =>
    RAIL_CALLERS[rail].caller(deployment.asWorld(), money);

  beforeAll(async () => {
    deployment = await Deployment.start(await cloneDatabase());
  });

  afterEach(() => deployment.expectPeace());
  afterAll(() => deployment.stop());

  it('one signature fifty times: one run, one transfer, one answer', async () => {
    const caller = await walletWith('x402', 10_000n);
    const body = { ...CHAT, messages: [{ role: 'user', content: 'Slowly. [[delay 0.5s]]' }] };
    const signed = await caller.credential(body);

    const answers = await sendAll(50, () => signed, body);

    expect(countOf(answers)).toEqual({ '200': 50 });
    expect(new Set(answers.map(({ body: said }) => JSON.stringify(said))).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers['payment-response'])).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(49);
    expect([await charged(caller.payer), await caller.left()]).toEqual([1, 8_000n]);
  });

  it('one signature fifty times, for twenty-five bodies: one is served, and nobody else is', async () => {
    const caller = await walletWith('x402', 100_000n);
    const signed = await caller.credential(CHAT, 2_000n);
    const bodies = Array.from({ length: 25 }, (_, n) => ({
      ...CHAT,
      messages: [{ role: 'user', content: `Say ${n}.` }],
    }));

    const answers = await Promise.all(
      [...bodies, ...bodies].map((body, n) => deployment.post(n % 2, CHAT_URL, body, signed)),
    );

    expect(countOf(answers)).toEqual({ '200': 2, '402 INVALID_PAYMENT': 48 });
    expect([await charged(caller.payer), await caller.left()]).toEqual([1, 98_000n]);
  });

  it('300 calls on one wallet spend exactly what it holds', async () => {
    const caller = await walletWith('wallet', 219n * 2_000n + 1_999n);
    const signedIn = await caller.credential(CHAT);

    const answers = await sendAll(300, () => signedIn);

    expect(countOf(answers)).toEqual({ '200': 219, '402 INSUFFICIENT_FUNDS': 81 });
    expect([await charged(caller.payer), await caller.left()]).toEqual([219, 1_999n]);
  });

  it("300 calls on one key spend exactly what the key's limit allows", async () => {
    const key = await KeyCaller.register(deployment.asWorld(), 10_000_000n, { spendLimitMicro: 250_000 });

    const answers = await sendAll(300, () => ({ 'x-api-key': key.key }));

    expect(countOf(answers)).toEqual({ '200': 125, '402 KEY_SPEND_LIMIT': 175 });
    const [account] = await deployment.db.rows<{ balance: string }>(
      'select balance_micro as balance from ledger_account where id = $1',
      [`credits:${key.accountId}`],
    );
    expect(account?.balance).toBe('9750000');
  });

  it('thirty dear calls of a poor wallet run only as often as it can pay', async () => {
    const wallet = new WalletCaller();
    const costly = { ...CHAT, model: 'lumen-ultra', max_tokens: 8_000 };
    const signed = await Promise.all(
      Array.from({ length: 30 }, () => signedPayment(deployment.asWorld(), wallet, costly)),
    );
    await deployment.db.rows('insert into sandbox_wallet (wallet, balance_micro) values ($1, $2)', [
      wallet.wallet.toLowerCase(),
      COSTLY_MICRO * 4n - 1n,
    ]);

    const answers = await sendAll(30, (n) => ({ 'payment-signature': signed[n]! }), costly);

    const { '200': ran = 0, ...others } = countOf(answers);
    expect(ran).toBe(3);
    expect(others).toEqual({ '402 INSUFFICIENT_FUNDS': 27 });
    expect(await charged(wallet.wallet)).toBe(3);
  });
});
