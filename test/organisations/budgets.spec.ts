import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { type Answer, World } from '../support/world';

const ORIGIN = 'http://127.0.0.1:3999';
const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
/** The price of the calls below. */
const PRICE = 2_000;

describe('the budget of a member', () => {
  let world: World;
  let ann: Browser;
  let dev: Browser;
  let org: string;

  beforeAll(async () => {
    world = await World.start();
  });

  beforeEach(async () => {
    ann = await Browser.registered(world);
    org = await ann.founds();
    dev = await ann.colleague('developer');
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(org), micro(1_000_000n), `test:${org}`);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const budgetOf = (who: Browser, budgetMicro: number | null, by = ann) =>
    by.send('PUT', `/v1/account/organisations/${org}/members/${who.id}/budget`, { budgetMicro });
  const seen = async (who: Browser, by = ann) =>
    (
      (await by.get(`/v1/account/organisations/${org}/members`)).body.members as Record<string, unknown>[]
    ).find(({ id }) => id === who.id);
  const codeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? ''}`.trim();
  const chat = (key: string, more: object = {}) =>
    world.post('/v1/agent/chat', { ...CHAT, ...more }, { 'x-api-key': key });

  it('counts the session and each key of the member together, and nobody else', async () => {
    expect(codeOf(await budgetOf(dev, 2 * PRICE + 1))).toBe('200');
    const { key } = await dev.makeKey();
    const of = await ann.makeKey();

    expect(codeOf(await dev.post('/v1/agent/chat', CHAT))).toBe('200');
    expect(codeOf(await chat(key))).toBe('200');
    expect(codeOf(await chat(key))).toBe('402 MEMBER_BUDGET');
    expect(codeOf(await chat(key, { dryRun: true }))).toBe('402 MEMBER_BUDGET');
    expect(codeOf(await dev.post('/v1/agent/chat', CHAT))).toBe('402 MEMBER_BUDGET');
    const next = await dev.makeKey();
    expect(codeOf(await chat(next.key))).toBe('402 MEMBER_BUDGET');
    expect(codeOf(await chat(of.key))).toBe('200');

    expect(await seen(dev)).toMatchObject({ spentMicro: 2 * PRICE, budgetMicro: 2 * PRICE + 1 });
    expect(await seen(ann)).toMatchObject({ spentMicro: PRICE, budgetMicro: null });
    expect(codeOf(await budgetOf(dev, null))).toBe('200');
    expect(codeOf(await chat(key))).toBe('200');
  });

  it('is met exactly by many calls at once', async () => {
    await budgetOf(dev, 7 * PRICE + 1);
    const keys = await Promise.all([dev.makeKey(), dev.makeKey(), dev.makeKey()]);

    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => chat(keys[at % 3]!.key)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(new Set(answers.map(codeOf))).toEqual(new Set(['200', '402 MEMBER_BUDGET']));
    expect(await seen(dev)).toMatchObject({ spentMicro: 7 * PRICE });
  });

  it('gets back what a failed call had taken, and what a call by use did not need', async () => {
    await budgetOf(dev, 100 * PRICE);
    const { key } = await dev.makeKey();
    const says = (content: string) => ({ messages: [{ role: 'user', content }] });

    expect((await chat(key, says('[[fail]]'))).status).toBe(502);
    expect(await seen(dev)).toMatchObject({ spentMicro: 0 });

    const body = { ...says('hello'), model: 'lumen-flash', max_tokens: 64 };
    const charged: number[] = [];
    for (const headers of [{ 'x-api-key': key }, { ...dev.cookie, 'x-organisation': org, origin: ORIGIN }]) {
      const answer = await world.post('/v1/chat/completions', body, headers as Record<string, string>);
      expect(answer.status).toBe(200);
      charged.push(Number(answer.headers['x-charge-micro']));
    }
    expect(await seen(dev)).toMatchObject({ spentMicro: charged[0]! + charged[1]! });
  });

  it('counts the reserve of a key that was handed on once, and gets its rest back', async () => {
    await budgetOf(dev, 5 * PRICE);
    const { key } = await dev.makeKey();
    const handOn = (limitMicro: number) =>
      world.post(
        '/v1/agent/keys',
        { limitMicro, reserve: true, expiresInSeconds: 600 },
        { 'x-api-key': key },
      );

    expect(codeOf(await handOn(6 * PRICE))).toBe('402 MEMBER_BUDGET');
    const made = await handOn(4 * PRICE);
    expect(made.status).toBe(201);
    expect(await seen(dev)).toMatchObject({ spentMicro: 4 * PRICE });
    expect(codeOf(await chat(made.body.key as string))).toBe('200');
    expect(codeOf(await chat(key))).toBe('200');
    expect(codeOf(await chat(key))).toBe('402 MEMBER_BUDGET');
    const ended = await world.send({
      method: 'DELETE',
      url: `/v1/agent/keys/${String(made.body.id)}`,
      headers: { 'x-api-key': key },
    });
    expect(ended.status).toBe(200);
    expect(await seen(dev)).toMatchObject({ spentMicro: 2 * PRICE });
  });

  it('is seen by leads and by the member, and set by leads who are above the member', async () => {
    const admin = await ann.colleague('admin');
    await budgetOf(dev, 10_000);

    expect(await seen(dev, dev)).toMatchObject({ spentMicro: 0, budgetMicro: 10_000 });
    expect(await seen(ann, dev)).not.toHaveProperty('spentMicro');
    expect(await seen(ann, dev)).not.toHaveProperty('budgetMicro');
    expect(codeOf(await budgetOf(dev, null, dev))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await budgetOf(dev, 20_000, admin))).toBe('200');
    expect(codeOf(await budgetOf(ann, 20_000, admin))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await budgetOf(admin, 20_000))).toBe('200');
    expect(codeOf(await budgetOf(admin, null, admin))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await budgetOf(ann, 20_000))).toBe('200');
    expect(codeOf(await budgetOf(dev, -1))).toBe('400 INVALID_REQUEST');
    const audit = (await ann.get(`/v1/account/organisations/${org}/audit?action=member.budget`)).body.entries;
    expect(audit).toHaveLength(4);
    expect(audit[0].text).toBe(`gave ${ann.email} a budget of $0.020000 a month`);
  });

  it('stays when a member leaves and comes back, and guests have one in a personal account', async () => {
    await budgetOf(dev, 0);
    await dev.delete(`/v1/account/organisations/${org}/members/${dev.id}`);
    const { body } = await ann.invite({ role: 'developer' });
    expect((await dev.accept(body.inviteUrl as string)).status).toBe(200);
    const { key } = await dev.makeKey();
    expect(codeOf(await chat(key))).toBe('402 MEMBER_BUDGET');

    org = ann.id;
    ann.organisation = ann.id;
    expect(codeOf(await budgetOf(ann, 5))).toBe('409 LAST_OWNER');
    expect(await seen(ann)).not.toHaveProperty('spentMicro');
  });
});
