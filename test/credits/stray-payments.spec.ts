import { ReconciliationProcessor } from '#money/billing/sweeps/reconciliation.processor';
import { Browser } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { FakeStripe } from '../support/fake-stripe';
import { type Answer, World } from '../support/world';

const PAYMENTS = '/v1/admin/payments';

describe('money that was paid and bought no credits', () => {
  let stripe: FakeStripe;
  let world: World;
  let owner: Browser;

  const operator = () => ({ authorization: `Bearer ${world.settings.admins[0]!.token}` });
  const list = async (query = ''): Promise<Answer['body'][]> =>
    (await world.get(`${PAYMENTS}${query}`, operator())).body.payments;
  const decide = (id: string, action: 'credit' | 'close', body: object): Promise<Answer> =>
    world.post(`${PAYMENTS}/${id}/${action}`, body, operator());
  const balance = async (): Promise<number> => (await owner.get('/v1/account')).body.balanceMicro as number;
  const accountId = async (): Promise<string> => (await owner.get('/v1/account')).body.id as string;

  /** A checkout of 10 dollars with this payment. Returns the newest stray payment. */
  const stray = async (changes: Readonly<Record<string, unknown>>): Promise<Answer['body']> => {
    const { body } = await owner.post('/v1/account/billing/top-up', { usd: 10 });
    await stripe.notify(world, stripe.completed(body.topUpId as string, changes));
    return (await list())[0];
  };

  beforeAll(async () => {
    stripe = await new FakeStripe().start();
    world = await World.start(stripe.env);
  });
  beforeEach(async () => {
    owner = await Browser.registered(world);
  });
  afterEach(async () => {
    await world.expectBooksToBalance();
    const drift = await world.app.get(ReconciliationProcessor, { strict: false }).run();
    expect(Object.values(drift).every((micro) => micro === 0n)).toBe(true);
  });
  afterAll(async () => {
    await world.stop();
    await stripe.stop();
  });

  it('is shown to operators with its amount, and to nobody else', async () => {
    const payment = await stray({ amount_total: 999 });

    expect(payment).toMatchObject({
      state: 'open',
      outcome: 'wrong_amount',
      processor: 'stripe',
      amountMicro: 9_990_000,
      currency: 'usd',
      accountId: await accountId(),
    });
    expect((await list('?state=open')).map(({ id }) => id)).toContain(payment.id);
    expect((await world.get(PAYMENTS)).status).toBe(401);
    expectEnvelope(await world.get(`${PAYMENTS}?state=odd`, operator()), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'state',
    });
  });

  it('is one payment, however often and in whatever words it is reported', async () => {
    const { body } = await owner.post('/v1/account/billing/top-up', { usd: 10 });
    const before = (await list()).length;
    const events = [{ amount_total: 1 }, { amount_total: 1 }, { currency: 'jpy' }].map((changes) =>
      stripe.completed(body.topUpId as string, changes),
    );

    await Promise.all([...events, ...events].map((event) => stripe.notify(world, event)));

    expect(await list()).toHaveLength(before + 1);
  });

  it('is credited once by twenty operators, and the audit says so once', async () => {
    const { id } = await stray({ amount_total: 999 });

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => decide(id, 'credit', { reason: 'a cent was lost' })),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(answers.every(({ body }) => body.state === 'credited')).toBe(true);
    expect(await balance()).toBe(9_990_000);
    const { body } = await world.get('/v1/admin/audit', operator());
    const entries = body.entries.filter(
      ({ accountId: of }: { accountId: string }) => of === answers[0]?.body.accountId,
    );
    expect(entries).toMatchObject([{ action: 'credit', amountMicro: 9_990_000, reason: 'a cent was lost' }]);
  });

  it('is credited or closed, never both', async () => {
    const { id } = await stray({ amount_total: 999 });

    const answers = await Promise.all([
      decide(id, 'credit', { reason: 'give it' }),
      decide(id, 'close', { reason: 'given back' }),
    ]);

    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
    const [shown] = await list();
    expect(await balance()).toBe(shown.state === 'credited' ? 9_990_000 : 0);
  });

  it('is not credited again with another amount', async () => {
    const { id } = await stray({ amount_total: 999 });
    await decide(id, 'credit', { reason: 'give it' });

    const again = await decide(id, 'credit', { reason: 'give more', amountMicro: 500_000_000 });

    expectEnvelope(again, { status: 409, code: 'ALREADY_RESOLVED' });
    expect(await balance()).toBe(9_990_000);
  });

  it('wants an amount where it was not paid in dollars, and an account where nobody knows whose it is', async () => {
    const yen = await stray({ currency: 'jpy' });
    const { body } = await owner.post('/v1/account/billing/top-up', { usd: 10 });
    await stripe.notify(
      world,
      stripe.completed(body.topUpId as string, { id: 'cs_strange', client_reference_id: 'tu_not_there' }),
    );
    const [nobodys] = await list();

    const refused = [
      await decide(yen.id, 'credit', { reason: 'x' }),
      await decide(nobodys.id, 'credit', { reason: 'x' }),
      await decide(nobodys.id, 'credit', { reason: 'x', accountId: 'acc_not_there_at_all' }),
      await decide('sp_nothing', 'credit', { reason: 'x' }),
      await decide(yen.id, 'close', {}),
    ];
    const given = await decide(yen.id, 'credit', { reason: 'about that', amountMicro: 6_500_000 });
    const found = await decide(nobodys.id, 'credit', { reason: 'found', accountId: await accountId() });

    expect(refused.map(({ status, body: { error } }) => [status, error.param])).toEqual([
      [400, 'amountMicro'],
      [400, 'accountId'],
      [400, 'accountId'],
      [404, null],
      [400, 'reason'],
    ]);
    expect([given.status, found.status]).toEqual([200, 200]);
    expect(await balance()).toBe(16_500_000);
  });
});
