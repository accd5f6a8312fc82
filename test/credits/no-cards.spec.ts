import { AutoTopUpsProcessor } from '#money/credits/auto-top-ups.processor';
import { AutoTopUpsService } from '#money/credits/auto-top-ups.service';
import { readSettings } from '../../src/settings';
import { Browser } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { KeyCaller } from '../support/caller';
import { cloneDatabase } from '../support/postgres';
import { FakeStripe } from '../support/fake-stripe';
import { World } from '../support/world';

describe('a service that takes no cards', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ BILLING_PROCESSOR: 'none' });
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('opens no checkout, and says how to pay', async () => {
    const caller = await KeyCaller.register(world, 0n);

    const answer = await world.post(
      '/v1/account/billing/top-up',
      { usd: 5 },
      {
        cookie: caller.cookie,
        origin: new URL(world.settings.http.publicUrl).origin,
      },
    );

    expectEnvelope(answer, { status: 503, code: 'CARDS_NOT_TAKEN' });
    expect(
      await world.db.rows('select from credit_top_up where account_id = $1', [caller.accountId]),
    ).toEqual([]);
  });

  it('says so in the guides', async () => {
    const [guide, pricing] = await Promise.all([
      world.get('/v1/agent/guide.md'),
      world.get('/guides/pricing.md'),
    ]);

    expect(String(guide.body)).toContain('This service takes no cards');
    expect(String(pricing.body)).toContain('This service takes no cards. Its operator can add credits');
  });

  it('does not say that no real money is taken, if payments in USDC are real and the models are not', async () => {
    const real = await World.start({
      BILLING_PROCESSOR: 'none',
      X402_FACILITATOR: 'http',
      X402_FACILITATOR_URL: 'http://127.0.0.1:9',
      X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    });

    expect(String((await real.get('/v1/agent/guide.md')).body)).toContain(
      '**This service is a sandbox** (providers): payments in USDC are settled on their chain all the same.',
    );
    await real.stop();
  });

  it('credits payments by card that began before, and notes refunds, with the secrets of Stripe', async () => {
    const stripe = await new FakeStripe().start();
    const database = await cloneDatabase();
    const before = await World.start({ ...stripe.env, DATABASE_URL: database });
    const owner = await Browser.registered(before);
    const { body } = await owner.post('/v1/account/billing/top-up', { usd: 5 });
    const id = body.topUpId as string;
    const after = await World.start({
      ...stripe.env,
      BILLING_PROCESSOR: 'none',
      DATABASE_URL: database,
    });

    expect(await stripe.notify(after, stripe.completed(id), { secret: 'whsec_wrong' })).toMatchObject({
      status: 400,
    });
    expect(await stripe.notify(after, stripe.completed(id))).toMatchObject({ status: 200 });
    expect(await stripe.notify(after, stripe.refunded(id, 200))).toMatchObject({ status: 200 });

    expect(
      await after.db.rows('select state, refunded_micro from credit_top_up where id = $1', [id]),
    ).toEqual([{ state: 'paid', refunded_micro: '2000000' }]);
    expect((await owner.get('/v1/account')).body.balanceMicro).toBe(5_000_000);
    await after.expectBooksToBalance();
    await after.stop();
    await before.stop();
    await stripe.stop();
  });

  it('decides charges of saved cards that began before, and charges and keeps no card', async () => {
    const url = '/v1/account/billing/auto-top-up';
    const stripe = await new FakeStripe().start();
    const database = await cloneDatabase();
    const startWith = async (env: Readonly<Record<string, string>>) => {
      const started = await World.start({ ...stripe.env, ...env, DATABASE_URL: database });
      const processor = started.app.get(AutoTopUpsProcessor, { strict: false });
      jest.spyOn(processor, 'run').mockResolvedValue(0);
      return [started, () => AutoTopUpsProcessor.prototype.run.call(processor)] as const;
    };
    const [before, runBefore] = await startWith({});
    const owner = await Browser.registered(before);
    await owner.post(`${url}/card`);
    await stripe.notify(before, stripe.cardSaved());
    await owner.send('PUT', url, { enabled: true, belowUsd: 50, amountUsd: 10, monthUsd: 100 });
    stripe.drops = 2;
    await runBefore();
    await before.db.rows(`update credit_top_up set created_at = created_at - interval '2 minutes'`);
    await before.db.rows('delete from sweep_pause');
    const [after, runAfter] = await startWith({ BILLING_PROCESSOR: 'none' });

    await runAfter();
    await runAfter();
    await after.app.get(AutoTopUpsService, { strict: false }).removeCard(owner.id);

    expect((await owner.get('/v1/account')).body.balanceMicro).toBe(10_000_000);
    expect([stripe.takenCents, stripe.detached.length]).toEqual([1_000, 1]);
    await after.expectBooksToBalance();
    await after.stop();
    await before.stop();
    await stripe.stop();
  });

  it('may run real models, if the payments on chain are real', () => {
    const real = {
      OPENAI_API_KEY: 'sk-of-a-test',
      X402_FACILITATOR: 'http',
      X402_FACILITATOR_URL: 'https://pay.example',
      X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    };

    expect(() => readSettings(real)).toThrow('BILLING_PROCESSOR=sandbox');
    expect(readSettings({ ...real, BILLING_PROCESSOR: 'none' }).billing.processor).toBe('none');
  });
});
