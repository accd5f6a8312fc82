import { WalletCaller } from '../support/caller';
import type { Answer, World } from '../support/world';
import { CHAT_URL, type Headers, type RailCaller, callersOf, waysToPay } from './rail-callers';
import { type RailStage, railStage } from './rail-stage';

const CHAT = { messages: [{ role: 'user', content: 'Say something short.' }], max_tokens: 64 };

describe.each(waysToPay())('the limit of payers on %s', (way) => {
  let stage: RailStage;
  let world: World;
  let caller: RailCaller;

  const chat = async (who: RailCaller, body: object = CHAT, more: Headers = {}): Promise<Answer> =>
    world.post(CHAT_URL, body, { ...(await who.credential(body)), ...more });

  beforeAll(async () => {
    stage = await railStage(way, { RATE_LIMIT_CHAT: '2' });
    ({ world } = stage);
  });

  beforeEach(async () => {
    caller = await callersOf(way).caller(world, 100_000n);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => stage.stop());

  it('counts each proven payer for itself, says so, and charges nothing above it', async () => {
    const first = await chat(caller);
    const second = await chat(caller);
    const third = await chat(caller);
    const other = await chat(await callersOf(way).caller(world, 100_000n));

    expect([first.status, second.status, third.status, other.status]).toEqual([200, 200, 429, 200]);
    expect([first, second].map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['1', '0']);
    expect(third.body.error.code).toBe('RATE_LIMITED');
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
    expect(third.headers).toMatchObject({ 'ratelimit-limit': '2', 'x-charge-state': 'none' });
    expect(await caller.left()).toBe(96_000n);
  });

  it('counts no answer that is given again', async () => {
    const mark = { 'idempotency-key': 'the-same-call-0002' };
    await chat(caller, CHAT, mark);

    const again = [await chat(caller, CHAT, mark), await chat(caller, CHAT, mark)];
    const second = await chat(caller);

    expect(again.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true']);
    expect(second.status).toBe(200);
  });

  it('cannot be spent by somebody who only names the payer', async () => {
    const victim = new WalletCaller();
    const body = { ...CHAT, payer: victim.wallet };

    const named = await Promise.all([1, 2, 3, 4].map(() => world.post(CHAT_URL, body)));
    const first = await chat(caller);

    expect(named.map(({ status }) => status)).toEqual([402, 402, 402, 402]);
    expect(first.headers['ratelimit-remaining']).toBe('1');
  });
});
