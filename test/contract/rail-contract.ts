import { railClasses } from '#money/billing/rails/rail-order';
import { expectEventually } from '../support/eventually';
import type { Answer, World } from '../support/world';
import { CHAT_URL, type Headers, type RailCaller, type RailFixture } from './rail-callers';
import { holdEndsToContract } from './rail-ends-contract';
import { forgedQuote, isSignedBy } from './seals';

const PRICE = 2_000n;
export const CHAT = { messages: [{ role: 'user', content: 'Say something short.' }], max_tokens: 64 };
export const saying = (content: string) => ({ ...CHAT, messages: [{ role: 'user', content }] });

/** A listening service, and the request that the tests send to it. */
export interface Stage {
  readonly world: () => World;
  readonly url: () => string;
}

/** Calls the chat with all of these headers. */
export const chatOn =
  (world: () => World) =>
  (body: object, ...headers: readonly Headers[]): Promise<Answer> =>
    world().post(CHAT_URL, body, Object.assign({}, ...headers) as Headers);

export const chargesOn =
  (world: () => World) =>
  async (payer: string): Promise<readonly string[]> => {
    const rows = await world().db.rows<{ state: string }>(
      'select state from charge where lower(payer) = lower($1) order by created_at, state',
      [payer],
    );
    return rows.map(({ state }) => state);
  };

/**
 * The promises of every way to pay to its callers: a rail, or a further wire format of one. `later` are the rails with
 * lower priority than this one.
 */
export const holdToContract = (
  way: string,
  fixture: RailFixture,
  later: readonly RailFixture[],
  { world, url }: Stage,
): void => {
  const chat = chatOn(world);
  const charges = chargesOn(world);
  const { bad, refusal, rail = way } = fixture;
  const { accounts } = railClasses().find(({ facts }) => facts.name === rail)!.facts;
  /** For calls that get no challenge, or whose price the caller signs by itself. */
  const itAtAnyPrice = fixture.asksFirst === true ? it.skip : it;
  let caller: RailCaller;
  let ours: Headers;

  beforeEach(async () => {
    caller = await fixture.caller(world(), 10_000n);
    ours = await caller.credential(CHAT);
  });

  it('charges exactly the price and says so', async () => {
    const answer = await chat(CHAT, ours);

    expect(answer.status).toBe(200);
    expect(answer.body.choices[0].message.content).toContain('[sandbox]');
    expect(answer.headers).toMatchObject({
      'x-charge-id': expect.stringMatching(/^ch_/),
      'x-charge-micro': '2000',
      'x-charge-state': 'charged',
      'cache-control': 'no-store',
      ...(accounts === undefined
        ? { [way === 'mpp' ? 'payment-receipt' : 'payment-response']: expect.any(String) }
        : { 'x-balance-micro': '8000' }),
    });
    expect(await caller.left()).toBe(8_000n);
  });

  it('refuses a bad body before it looks at the money', async () => {
    const answer = await chat({ messages: [] }, ours);

    expect(answer.status).toBe(400);
    expect(answer.headers).toMatchObject({ 'x-charge-state': 'none', 'cache-control': 'no-store' });
    expect([await caller.left(), await charges(caller.payer)]).toEqual([10_000n, []]);
  });

  it('refuses a bad credential by itself, and lets no later rail pay', async () => {
    const others = await Promise.all(later.map((one) => one.caller(world(), 10_000n)));
    const theirs = await Promise.all(others.map((other) => other.credential(CHAT)));

    const answer = await chat(CHAT, ...theirs, bad);

    expect([answer.status, answer.body.error.code]).toEqual([refusal.status, refusal.code]);
    expect(answer.headers['payment-required'] !== undefined).toBe(refusal.status === 402);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(await Promise.all(others.map((other) => other.left()))).toEqual(others.map(() => 10_000n));
  });

  it('answers 402 with requirements, or 402 with a link, when the money does not suffice', async () => {
    const poor = await fixture.caller(world(), 1_999n);

    const answer = await chat(CHAT, await poor.credential(CHAT));

    expect([answer.status, answer.body.error.code]).toEqual([402, fixture.short ?? 'INSUFFICIENT_FUNDS']);
    expect(answer.headers['payment-required'] ?? answer.body.topUp).toBeDefined();
    expect([await poor.left(), await charges(poor.payer)]).toEqual([1_999n, []]);
  });

  it('gives everything back when the provider refuses, and frees the mark', async () => {
    const mark = { 'idempotency-key': 'a-mark-that-failed' };
    const refused = saying('no [[reject]]');

    const answer = await chat(refused, await caller.credential(refused), mark);
    const again = await chat(CHAT, await caller.credential(CHAT), mark);

    expect([answer.status, answer.headers['x-charge-state']]).toEqual([502, 'released']);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await charges(caller.payer)).toEqual(['released', 'charged']);
    expect(await caller.left()).toBe(8_000n);
  });

  it('follows the directives of the sandbox, with the money right', async () => {
    const reported = async (directive: string) => {
      const body = saying(`as told [[${directive}]]`);
      return chat(body, await caller.credential(body));
    };

    const short = await reported('tokens 7');
    const failed = await reported('fail');

    expect([short.status, short.body.usage.completion_tokens]).toEqual([200, 7]);
    expect([failed.status, failed.headers['x-charge-state']]).toEqual([502, 'released']);
    expect(await charges(caller.payer)).toEqual(['charged', 'released']);
    expect(await caller.left()).toBe(8_000n);
  });

  it('gives one answer to one mark, whatever comes at once, and refuses the mark to another body', async () => {
    const mark = { 'idempotency-key': 'the-same-call-0001' };
    const body = saying('slowly [[delay 0.2s]]');
    const fresh = () => caller.credential(body);

    const answers = await Promise.all([1, 2, 3, 4, 5].map(async () => chat(body, await fresh(), mark)));
    const late = await chat(body, await fresh(), mark);
    const other = await chat(CHAT, await caller.credential(CHAT), mark);

    expect([...answers, late].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set([...answers, late].map(({ body: said }) => JSON.stringify(said))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(4);
    expect(late.headers).toMatchObject({ 'idempotent-replayed': 'true', 'x-charge-state': 'charged' });
    expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect([await caller.left(), await charges(caller.payer)]).toEqual([8_000n, ['charged']]);
  });

  it('lets the last of the money pay one call that is sent twice, and asks for no second payment', async () => {
    const poor = await fixture.caller(world(), 3_999n);
    const mark = { 'idempotency-key': 'the-same-call-0003' };

    const answers = await Promise.all(
      [1, 2, 3].map(async () => chat(CHAT, await poor.credential(CHAT), mark)),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([await poor.left(), await charges(poor.payer)]).toEqual([1_999n, ['charged']]);
  });

  it('gives the answer that never arrived to a retry that an SDK announces, and no other', async () => {
    const body = saying('slowly [[delay 1s]]');
    const headers = { 'content-type': 'application/json', ...(await caller.credential(body)) };
    const hangUp = new AbortController();
    const gone = fetch(`${url()}${CHAT_URL}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: hangUp.signal,
    }).catch((error: Error) => error.name);
    await expectEventually(async () => (await charges(caller.payer)).includes('held'));
    hangUp.abort();
    expect(await gone).toBe('AbortError');
    const retry = { 'x-stainless-retry-count': '1' };

    const again = await chat(body, await caller.credential(body), retry);
    await expectEventually(() => isDelivered(String(again.headers['x-charge-id'])));
    const another = await chat(body, await caller.credential(body), retry);

    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect([another.status, another.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect([await caller.left(), await charges(caller.payer)]).toEqual([6_000n, ['charged', 'charged']]);
  });

  const isDelivered = async (chargeId: string): Promise<boolean> => {
    const sql = 'select from replay where charge_id = $1 and delivered_at is not null';
    return (await world().db.rows(sql, [chargeId])).length === 1;
  };

  itAtAnyPrice('rehearses without holding anything, and the same credential pays afterwards', async () => {
    const body = { ...CHAT, dryRun: true };
    const credential = await caller.credential(body, PRICE);

    const answer = await chat(body, credential);
    const none = await charges(caller.payer);
    const real = await chat(CHAT, credential);

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ dryRun: true, priceMicro: 2_000, rail });
    expect([none, real.status]).toEqual([[], 200]);
    expect(await caller.left()).toBe(8_000n);
  });

  itAtAnyPrice('refuses a price above what the caller allows, in the body or the header', async () => {
    const capped = { ...CHAT, maxPriceMicro: 1_999 };

    const answers = [
      await chat(capped, await caller.credential(capped, PRICE)),
      await chat(CHAT, ours, { 'x-max-price-micro': '1999' }),
    ];
    const allowed = await chat(CHAT, ours, { 'x-max-price-micro': '2000' });

    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([400, 'PRICE_ABOVE_MAX']);
      expect(body.error.message).toContain('2000');
    }
    expect([allowed.status, await charges(caller.payer)]).toEqual([200, ['charged']]);
  });

  itAtAnyPrice('charges what its quote says', async () => {
    const quoted = { ...CHAT, quoteId: forgedQuote(world(), { price: 2_345n, payer: walletOf(caller) }) };

    const answer = await chat(quoted, await caller.credential(quoted, 2_345n));

    expect([answer.status, answer.headers['x-charge-micro']]).toEqual([200, '2345']);
    expect(await caller.left()).toBe(7_655n);
  });

  const walletOf = ({ payer }: RailCaller) => (payer.startsWith('0x') ? payer : undefined);

  itAtAnyPrice.each([
    ['is over', { secondsAgo: 901 }, 'QUOTE_EXPIRED'],
    ['is for another model', { modelId: 'dusk-9' }, 'QUOTE_MISMATCH'],
    ['is for a longer answer', { input: 'chat|20|65' }, 'QUOTE_MISMATCH'],
    ["is another payer's", { payer: `0x${'ab'.repeat(20)}` }, 'QUOTE_MISMATCH'],
  ] as const)('refuses a quote that %s', async (_, change, code) => {
    const quoted = { ...CHAT, quoteId: forgedQuote(world(), change) };

    const answer = await chat(quoted, await caller.credential(quoted, PRICE));

    expect([answer.status, answer.body.error.code]).toEqual([409, code]);
    expect([await caller.left(), await charges(caller.payer)]).toEqual([10_000n, []]);
  });

  it('shows a receipt that its published key proves, and that no change survives', async () => {
    const answer = await chat(CHAT, ours);

    const receipt = await world().get(`/v1/agent/charges/${answer.headers['x-charge-id']}`);
    const { jws, ...said } = receipt.body;
    const jwks = (await world().get('/.well-known/jwks.json')).body;

    expect(said).toMatchObject({
      state: 'charged',
      rail,
      payer: caller.payer,
      modelId: 'lumen-flash',
      priceMicro: 2_000,
      listPriceMicro: 2_000,
      discountPercent: 0,
    });
    expect(isSignedBy(jwks, jws, said)).toBe(true);
    expect(isSignedBy(jwks, jws, { ...said, priceMicro: 1_999 })).toBe(false);
  });

  holdEndsToContract(way, fixture, world);
};
