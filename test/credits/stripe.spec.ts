import { Browser } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { FakeStripe } from '../support/fake-stripe';
import { captureLog } from '../support/log-lines';
import { World } from '../support/world';

describe('buying credits through Stripe', () => {
  let stripe: FakeStripe;
  let world: World;
  let owner: Browser;

  beforeAll(async () => {
    stripe = await new FakeStripe().start();
    world = await World.start(stripe.env);
  });

  beforeEach(async () => {
    owner = await Browser.registered(world);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await stripe.stop();
  });

  const open = async (usd = 25): Promise<string> => {
    const answer = await owner.post('/v1/account/billing/top-up', { usd });
    expect(answer.status).toBe(201);
    return answer.body.topUpId as string;
  };
  const balance = async () => (await owner.get('/v1/account')).body.balanceMicro as number;
  const stateOf = async (id: string) => {
    const [row] = await world.db.rows('select state, refusal from credit_top_up where id = $1', [id]);
    return row;
  };
  const outcomes = async (id: string) => {
    const rows = await world.db.rows<{ outcome: string }>(
      'select outcome from payment_event where top_up_id = $1 order by created_at',
      [id],
    );
    return rows.map(({ outcome }) => outcome);
  };

  it('opens a checkout for exactly the amount, in the name of the top-up', async () => {
    const { body } = await owner.post('/v1/account/billing/top-up', { usd: 12.34 });

    const { url, fields } = stripe.sessionFor(body.topUpId as string);
    expect(body.checkoutUrl).toBe(url);
    expect(Object.fromEntries(fields)).toMatchObject({
      mode: 'payment',
      client_reference_id: body.topUpId,
      customer_email: owner.email,
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '1234',
      success_url: `http://127.0.0.1:3999/account/billing?topUp=${body.topUpId}`,
      cancel_url: 'http://127.0.0.1:3999/account/billing',
    });
    expect(await balance()).toBe(0);
  });

  it('credits a paid checkout', async () => {
    const id = await open(25);

    const answer = await stripe.notify(world, stripe.completed(id));

    expect(answer).toMatchObject({ status: 200, body: { received: true } });
    expect(await balance()).toBe(25_000_000);
    expect(await stateOf(id)).toEqual({ state: 'paid', refusal: null });
    expect((await owner.get('/v1/account/billing/transactions')).body.transactions).toEqual([
      {
        id: expect.any(String),
        kind: 'top_up',
        amountMicro: 25_000_000,
        balanceAfterMicro: 25_000_000,
        createdAt: expect.any(String),
      },
    ]);
  });

  it('credits once, when the same event comes twenty times at once and again later', async () => {
    const id = await open(10);
    const event = stripe.completed(id);

    const answers = await Promise.all(Array.from({ length: 20 }, () => stripe.notify(world, event)));
    const later = await stripe.notify(world, event);

    expect([...answers, later].every(({ status }) => status === 200)).toBe(true);
    expect(await balance()).toBe(10_000_000);
    expect(await outcomes(id)).toEqual(['credited']);
  });

  it('credits once, when two different events report one payment', async () => {
    const id = await open(10);

    await Promise.all([
      stripe.notify(world, stripe.completed(id)),
      stripe.notify(world, stripe.completed(id, {}, 'async_payment_succeeded')),
    ]);

    expect(await balance()).toBe(10_000_000);
    expect(await outcomes(id)).toEqual(['credited', 'credited']);
  });

  it('waits for a payment that takes days', async () => {
    const id = await open(10);

    await stripe.notify(world, stripe.completed(id, { payment_status: 'unpaid' }));
    expect(await balance()).toBe(0);
    expect(await stateOf(id)).toMatchObject({ state: 'pending' });
    await stripe.notify(world, stripe.completed(id, {}, 'async_payment_succeeded'));

    expect(await balance()).toBe(10_000_000);
    expect(await outcomes(id)).toEqual(['unpaid', 'credited']);
  });

  it.each([
    ['a cent less', { amount_total: 999 }, 'wrong_amount'],
    ['a cent more', { amount_total: 1_001 }, 'wrong_amount'],
    ['no amount', { amount_total: null }, 'wrong_amount'],
    ['an amount that is text', { amount_total: '1000' }, 'wrong_amount'],
    ['another currency', { currency: 'jpy' }, 'wrong_currency'],
    ['no currency', { currency: null }, 'wrong_currency'],
  ])('refuses %s, and writes it down', async (_, changes, refusal) => {
    const id = await open(10);

    const answer = await stripe.notify(world, stripe.completed(id, changes));

    expect(answer.status).toBe(200);
    expect(await balance()).toBe(0);
    expect(await stateOf(id)).toEqual({ state: 'refused', refusal });
    expect(await outcomes(id)).toEqual([refusal]);
    await stripe.notify(world, stripe.completed(id));
    expect(await balance()).toBe(0);
    expect(await outcomes(id)).toEqual([refusal, 'refused_before']);
  });

  it.each(['async_payment_failed', 'expired'])('closes a checkout that ended as %s', async (type) => {
    const id = await open(10);

    await stripe.notify(world, stripe.completed(id, { payment_status: 'unpaid' }, type));

    expect(await balance()).toBe(0);
    expect(await stateOf(id)).toEqual({ state: 'refused', refusal: 'failed' });
  });

  it('never takes back what was paid, whatever comes later', async () => {
    const id = await open(10);
    await stripe.notify(world, stripe.completed(id));

    await stripe.notify(world, stripe.completed(id, { payment_status: 'unpaid' }, 'expired'));

    expect(await stateOf(id)).toMatchObject({ state: 'paid' });
    expect(await balance()).toBe(10_000_000);
  });

  it.each([
    ['another checkout that names this top-up', { id: 'cs_test_other' }],
    ['a top-up that is not there', { client_reference_id: 'tu_not_there' }],
    ['no top-up', { client_reference_id: null }],
  ])('credits nobody for %s', async (_, changes) => {
    const id = await open(10);
    const event = stripe.completed(id, changes);

    const answer = await stripe.notify(world, event);

    expect(answer.status).toBe(200);
    expect(await balance()).toBe(0);
    expect(await world.db.rows('select outcome from payment_event where id = $1', [event.id])).toEqual([
      { outcome: 'unknown_top_up' },
    ]);
  });

  it('passes over events that are not about checkouts', async () => {
    const event = { id: 'evt_other', type: 'customer.created', data: { object: { id: 'cus_1' } } };

    expect((await stripe.notify(world, event)).body).toEqual({ received: true });
    expect(await world.db.rows(`select from payment_event where id = 'evt_other'`)).toEqual([]);
  });

  it.each([
    ['signed by somebody else', { secret: 'whsec_wrong' }],
    ['signed an hour ago', { timestamp: Math.floor(Date.now() / 1_000) - 3_600 }],
    ['without a signature', { signature: '' }],
    ['with a made-up signature', { signature: `t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}` }],
    ['with a signature that is none', { signature: 'yes' }],
  ])('believes nothing that is %s', async (_, by) => {
    const id = await open(10);

    expectEnvelope(await stripe.notify(world, stripe.completed(id), by), {
      status: 400,
      code: 'INVALID_REQUEST',
    });
    expect(await balance()).toBe(0);
    expect(await outcomes(id)).toEqual([]);
  });

  it('believes nothing whose bytes were changed on the way', async () => {
    const id = await open(10);
    const event = stripe.completed(id);
    const signed = JSON.stringify(event);

    const answer = await world.post('/v1/account/billing/stripe/webhook', `${signed} `, {
      'stripe-signature': 't=1,v1=00',
    });

    expectEnvelope(answer, { status: 400, code: 'INVALID_REQUEST' });
  });

  it('says 503 and none of Stripe’s words when Stripe fails, and opens one checkout in the end', async () => {
    const { lines } = captureLog(world);
    const mark = { 'idempotency-key': `top-up-${owner.id}` };
    stripe.failNext(400);

    const failed = await owner.post('/v1/account/billing/top-up', { usd: 10 }, mark);
    const again = await owner.post('/v1/account/billing/top-up', { usd: 10 }, mark);
    const third = await owner.post('/v1/account/billing/top-up', { usd: 10 }, mark);

    expectEnvelope(failed, { status: 503, code: 'PAYMENT_UNAVAILABLE' });
    expect(failed.headers['retry-after']).toBe('10');
    expect(JSON.stringify(failed.body)).not.toMatch(/stripe|acct_|sk_/i);
    expect(lines.join('\n')).not.toContain(stripe.secretKey);
    expect(lines.join('\n')).not.toContain(stripe.webhookSecret);
    expect(again.status).toBe(201);
    expect(third.body).toEqual(again.body);
    expect(await world.db.rows('select from credit_top_up where account_id = $1', [owner.id])).toHaveLength(
      1,
    );
  });

  it('has no sandbox beside it', async () => {
    const id = await open(10);

    expectEnvelope(await world.get(`/checkout/sandbox/${id}`), { status: 404, code: 'NOT_FOUND' });
    expectEnvelope(await world.post(`/checkout/sandbox/${id}/pay`, {}), { status: 404, code: 'NOT_FOUND' });
    expect(await balance()).toBe(0);
  });

  it('credits by a repeated event what a crash had left half done', async () => {
    const id = await open(10);
    const event = stripe.completed(id);
    await stripe.notify(world, event);
    // The state after a process died right after the ledger's statement.
    await world.db.rows(`update credit_top_up set state = 'pending', decided_at = null where id = $1`, [id]);
    await world.db.rows('delete from payment_event where id = $1', [event.id]);

    await stripe.notify(world, event);

    expect(await balance()).toBe(10_000_000);
    expect(await stateOf(id)).toMatchObject({ state: 'paid' });
  });
});
