import { ChannelTerms } from '#money/billing/rails/channel/channel-terms';
import type { ChannelAccess } from '#money/billing/rails/x402/facilitators/facilitator';
import { ChannelCaller } from '../support/channel-caller';
import type { World } from '../support/world';
import { type ChannelStage, channelStage } from './channel-world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
const URL = '/v1/agent/chat';

const ODD = [
  Number.NaN,
  Infinity,
  -1,
  0.5,
  1e21,
  2 ** 53,
  '',
  '-1',
  '1.5',
  '1e3',
  'NaN',
  '0x10',
  '9'.repeat(16),
  '9'.repeat(19),
  '9'.repeat(400),
  '\u0000',
  {},
  [],
  null,
  true,
];
const FIELDS = ['balance', 'totalClaimed', 'withdrawRequestedAt', 'refundNonce'] as const;
const HASHES = [
  '',
  '0x',
  'abc',
  `0x${'g'.repeat(64)}`,
  `0x${'a'.repeat(63)}`,
  '\u0000',
  1,
  null,
  {},
  undefined,
];

/** A value that the field may have, although it is odd for others. */
const isGood = (field: string, value: unknown): boolean =>
  (value === null && field !== 'balance' && field !== 'totalClaimed') ||
  (field === 'refundNonce' && value === '9'.repeat(16));

describe('a facilitator of channels that answers oddly', () => {
  let stage: ChannelStage;
  let world: World;
  let access: { -readonly [Key in keyof ChannelAccess]: ChannelAccess[Key] };
  let before: ChannelAccess;

  beforeAll(async () => {
    stage = await channelStage();
    ({ world } = stage);
    const terms = await world.app.get(ChannelTerms, { strict: false }).current('eip155:8453');
    access = terms!.access as typeof access;
    before = { ...access };
  });

  beforeEach(() => {
    // As with a facilitator elsewhere, and no node of ours.
    access.stateOf = undefined;
    access.mover = undefined;
  });

  afterEach(async () => {
    Object.assign(access, before);
    await world.expectBooksToBalance();
  });
  afterAll(() => stage.stop());

  const stateIs = (change: object) => {
    access.client = {
      ...before.client,
      verify: async (...args) => {
        const answer = await before.client.verify(...args);
        return { ...answer, extra: { ...answer.extra, ...change } };
      },
    };
  };

  it(`about ${FIELDS.length * ODD.length} states gets no number believed, and the call is 503 and pays later`, async () => {
    const caller = await new ChannelCaller(stage.chain).minted();
    access.client = before.client;
    expect((await caller.buy(world, URL, CHAT)).status).toBe(200);
    const body = { ...CHAT, max_tokens: 17 };
    const payment = await caller.pay(world, URL, body);
    const statuses: unknown[] = [];
    for (const field of FIELDS)
      for (const value of ODD) {
        if (isGood(field, value)) continue;
        stateIs({ [field]: value });
        await world.db.rows(`update channel set synced_at = now() - interval '1 hour'`);
        const { status } = await caller.send(world, URL, body, payment);
        if (status !== 503) statuses.push({ field, value, status });
      }

    expect(statuses).toEqual([]);
    access.client = before.client;
    expect((await caller.send(world, URL, body, payment)).status).toBe(200);
  });

  it('about the transaction of a deposit is 503, and the repetition finds the money', async () => {
    for (const [n, transaction] of HASHES.entries()) {
      const caller = await new ChannelCaller(stage.chain, BigInt(n)).minted();
      const payment = await caller.pay(world, URL, CHAT);
      access.client = {
        ...before.client,
        settle: async (...args) => ({
          ...(await before.client.settle(...args)),
          transaction: transaction as string,
        }),
      };
      const odd = await caller.send(world, URL, CHAT, payment);
      access.client = before.client;
      const again = await caller.send(world, URL, CHAT, payment);

      expect([transaction, odd.status, again.status]).toEqual([transaction, 503, 200]);
    }
  });

  it.each([
    [{}],
    [{ success: 'yes' }],
    [{ success: false }],
    [{ success: false, errorReason: 7 }],
    [{ success: null }],
  ])('with %j about a deposit is 503', async (answer) => {
    const caller = await new ChannelCaller(stage.chain).minted();
    const payment = await caller.pay(world, URL, CHAT);
    access.client = { ...before.client, settle: () => Promise.resolve(answer as never) };

    expect((await caller.send(world, URL, CHAT, payment)).status).toBe(503);
  });
});
