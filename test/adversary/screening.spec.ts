import { signedPayment } from '../contract/rail-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { type FakeFacilitator, startFakeFacilitator } from '../support/fake-facilitator';
import { World } from '../support/world';

const CHAT = '/v1/agent/chat';
const STUDIO = '/v1/chat/completions';
const BAD = 'a naked child';
const LONG = `${'a quiet street '.repeat(400)} ${BAD}`;
const CHAT_LIMIT = 3;
const CHALLENGE_LIMIT = 5;

const said = (content: string) => ({ messages: [{ role: 'user', content }] });

describe('the screen of texts', () => {
  let facilitator: FakeFacilitator;
  let world: World;

  beforeEach(async () => {
    facilitator = await startFakeFacilitator();
    world = await World.start({
      ...facilitator.settings,
      RATE_LIMIT_CHAT: String(CHAT_LIMIT),
      RATE_LIMIT_CHALLENGE: String(CHALLENGE_LIMIT),
    });
  });
  afterEach(async () => {
    await world.expectBooksToBalance();
    await world.stop();
    await facilitator.stop();
  });

  it('sees a long text of an x402 call only after the money behind the payment', async () => {
    const insufficient = { isValid: false, invalidReason: 'insufficient_funds' };
    facilitator.fail('verify', { kind: 'says', answer: insufficient });
    const body = said(LONG);
    const payment = await signedPayment(world, new WalletCaller(), body);

    const answer = await world.post(CHAT, body, { 'payment-signature': payment });

    expect([answer.status, answer.body.error.code]).not.toEqual([400, 'POLICY_BLOCKED']);
    expect(answer.status).toBe(402);
  });

  it.each([CHAT, STUDIO])(
    'sees a long text of a key only where its money covers the call: %s',
    async (url) => {
      const { key } = await KeyCaller.register(world, 1n);
      const answer = await world.post(url, said(LONG), { 'x-api-key': key });
      expect([answer.status, answer.body.error.code]).toEqual([402, 'INSUFFICIENT_FUNDS']);
    },
  );

  it('counts a blocked call against its payer', async () => {
    const { key } = await KeyCaller.register(world, 5_000_000n);
    const statuses: number[] = [];
    for (let n = 0; n <= CHAT_LIMIT; n += 1)
      statuses.push((await world.post(CHAT, said(BAD), { 'x-api-key': key })).status);
    expect(statuses).toEqual([...Array.from({ length: CHAT_LIMIT }, () => 400), 429]);
  });

  it('counts blocked calls of many payers against their address', async () => {
    const keys: string[] = [];
    for (let n = 0; n <= CHALLENGE_LIMIT; n += 1)
      keys.push((await KeyCaller.register(world, 5_000_000n)).key);
    const ask = async (key: string, text: string): Promise<number> =>
      (await world.post(CHAT, said(text), { 'x-api-key': key })).status;

    const paid: number[] = [];
    for (const key of keys) paid.push(await ask(key, 'a quiet street'));
    const blocked: number[] = [];
    for (const key of keys) blocked.push(await ask(key, BAD));

    expect(paid).toEqual(keys.map(() => 200));
    expect(blocked).toEqual([...Array.from({ length: CHALLENGE_LIMIT }, () => 400), 429]);
  });
});
