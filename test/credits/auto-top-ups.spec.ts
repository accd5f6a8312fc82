import { AlertsProcessor } from '#notices/alerts/alerts.processor';
import { AutoTopUpRepository } from '#money/credits/auto-top-up.repository';
import { AutoTopUpsProcessor } from '#money/credits/auto-top-ups.processor';
import { Browser } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { FakeStripe } from '../support/fake-stripe';
import { World } from '../support/world';

const URL = '/v1/account/billing/auto-top-up';
const RULE = { enabled: true, belowUsd: 5, amountUsd: 10, monthUsd: 25 };

describe('an automatic top-up', () => {
  let stripe: FakeStripe;
  let world: World;
  let ann: Browser;

  beforeAll(async () => {
    stripe = await new FakeStripe().start();
    world = await World.start(stripe.env);
    jest.spyOn(world.app.get(AutoTopUpsProcessor, { strict: false }), 'run').mockResolvedValue(0);
  });

  beforeEach(async () => {
    ann = await Browser.registered(world);
    stripe.card = 'good';
    stripe.drops = 0;
    stripe.intents.length = 0;
    // Only the account of the test is due.
    await world.db.rows('update auto_top_up set enabled = false');
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await stripe.stop();
  });

  /** A run of the processor. Its own schedule is off here, or it would charge between two lines of a test. */
  const run = () =>
    AutoTopUpsProcessor.prototype.run.call(world.app.get(AutoTopUpsProcessor, { strict: false }));
  const withCard = async (who = ann): Promise<void> => {
    expect((await who.post(`${URL}/card`)).status).toBe(201);
    expect((await stripe.notify(world, stripe.cardSaved())).status).toBe(200);
  };
  const ordered = async (rule: object = RULE): Promise<void> => {
    await withCard();
    expect((await ann.send('PUT', URL, rule)).status).toBe(200);
  };
  const shown = async () => (await ann.get(URL)).body;
  const balance = async () => (await ann.get('/v1/account')).body.balanceMicro as number;
  const topUps = async () =>
    (await ann.get('/v1/account/billing/top-ups')).body.topUps as { state: string; invoice?: object }[];
  const later = (interval: string) =>
    world.db.rows(
      `update credit_top_up set created_at = created_at - $1::interval where automatic and state = 'pending'`,
      [interval],
    );
  const retryNow = () => world.db.rows('update auto_top_up set retry_at = null');

  it('charges the saved card below the limit, within the month, with an invoice each', async () => {
    await ordered();
    expect(await shown()).toEqual({
      available: true,
      enabled: true,
      card: 'visa 4242, expires 07/2031',
      belowUsd: 5,
      amountUsd: 10,
      monthUsd: 25,
      usedMicro: 0,
      failures: 0,
    });

    await run();
    await run();
    expect([await balance(), stripe.takenCents]).toEqual([10_000_000, 1_000]);

    // The balance stays below this limit, but a third charge would exceed the month.
    await ann.send('PUT', URL, { ...RULE, belowUsd: 500 });
    for (let n = 0; n < 3; n += 1) await run();
    expect([await balance(), stripe.takenCents]).toEqual([20_000_000, 2_000]);
    expect((await shown()).usedMicro).toBe(20_000_000);
    const bought = await topUps();
    expect(bought).toMatchObject([{ state: 'paid' }, { state: 'paid' }]);
    expect(bought.every(({ invoice }) => invoice !== undefined)).toBe(true);
  });

  it('is charged once by many processes at once, also when the event comes before and after the answer', async () => {
    await ordered();

    await Promise.all(Array.from({ length: 8 }, run));
    await Promise.all([run(), run(), stripe.notify(world, stripe.about(stripe.intents[0]!))]);

    expect(stripe.intents).toHaveLength(1);
    expect([await balance(), stripe.takenCents]).toEqual([10_000_000, 1_000]);
  });

  it('is charged once although all answers are lost, and credited when the payment is found', async () => {
    await ordered();
    stripe.drops = 2; // The client repeats it once.
    await run();
    expect([await balance(), stripe.takenCents]).toEqual([0, 1_000]);
    await run(); // The charge is undecided, so no other charge is made.
    expect(stripe.intents).toHaveLength(1);

    await later('2 minutes');
    await Promise.all([run(), run(), run()]);
    await stripe.notify(world, stripe.about(stripe.intents[0]!));

    expect([await balance(), stripe.takenCents, stripe.intents.length]).toEqual([10_000_000, 1_000, 1]);
  });

  it('of a process that died before it sent anything is sent later, but not after a day', async () => {
    await ordered();
    const begin = () => world.app.get(AutoTopUpRepository, { strict: false }).begin(ann.id, 'stripe');
    expect(await begin()).toMatchObject({ automatic: true, state: 'pending' });
    expect(await begin()).toBeUndefined();
    await later('2 minutes');
    await Promise.all([run(), run(), run()]);
    expect([await balance(), stripe.takenCents]).toEqual([10_000_000, 1_000]);

    await ann.send('PUT', URL, { ...RULE, belowUsd: 500 });
    await begin();
    await later('21 hours');
    await ann.send('PUT', URL, { ...RULE, enabled: false });
    await run();
    expect(stripe.takenCents).toBe(1_000);
    expect((await topUps()).map(({ state }) => state).toSorted()).toEqual(['paid', 'refused']);
    expect((await shown()).failures).toBe(0);
  });

  it('waits for an event where the payment takes its time', async () => {
    await ordered();
    stripe.card = 'slow';
    await run();
    await later('2 minutes');
    await run();
    expect([await balance(), stripe.intents.length]).toEqual([0, 1]);

    const [intent] = stripe.intents;
    Object.assign(intent!, { status: 'succeeded', amount_received: 1_000 });
    await Promise.all([
      stripe.notify(world, stripe.about(intent!)),
      stripe.notify(world, stripe.about(intent!)),
    ]);

    expect(await balance()).toBe(10_000_000);
  });

  it.each([
    ['card_declined', 'declined'],
    ['authentication_required', 'authentication_needed'],
  ] as const)(
    'that fails three times as %s is off, warns of it, and charges nobody',
    async (card, reason) => {
      await ordered();
      stripe.card = card;
      const alerts = async () => {
        await world.app.get(AlertsProcessor, { strict: false }).run();
        const { standing } = (await ann.get('/v1/account/alerts')).body;
        return (standing as { type: string; data: object }[]).filter(({ type }) => type === 'top_up.failed');
      };

      await run();
      await run(); // A refused charge is not repeated at once.
      await stripe.notify(world, stripe.about(stripe.intents[0]!)); // The refusal is counted once.
      expect(await shown()).toMatchObject({ enabled: true, failures: 1, lastFailure: reason });
      expect(await alerts()).toMatchObject([{ data: { amountMicro: 10_000_000, reason, isOff: false } }]);
      for (let n = 0; n < 3; n += 1) {
        await retryNow();
        await run();
      }

      expect(await shown()).toMatchObject({ enabled: false, failures: 3, lastFailure: reason });
      expect(await alerts()).toMatchObject([{ data: { failures: 3, isOff: true } }]);
      expect(stripe.intents).toHaveLength(3);
      expect(stripe.intents.every(({ status }) => status === 'canceled')).toBe(true);
      expect([await balance(), stripe.takenCents]).toEqual([0, 0]);

      stripe.card = 'good';
      await ann.send('PUT', URL, RULE);
      await run();
      expect(await balance()).toBe(10_000_000);
      expect(await alerts()).toEqual([]);
    },
  );

  it('stops with the owner of the card, with the card and with the account', async () => {
    await ann.founds();
    const second = await ann.colleague('owner');
    await ordered();
    await second.delete(`/v1/account/organisations/${ann.organisation}/members/${ann.id}`);
    await run();
    expect(stripe.intents).toHaveLength(0);

    ann.organisation = undefined;
    await ordered();
    const before = stripe.detached.length;
    expect((await ann.delete(`${URL}/card`)).status).toBe(200);
    expect(stripe.detached).toHaveLength(before + 1);
    await run();
    expect(stripe.intents).toHaveLength(0);
    expectEnvelope(await ann.send('PUT', URL, RULE), { status: 409, code: 'NO_SAVED_CARD' });

    await ordered();
    await ann.post('/v1/account/close', { password: ann.password, leaveMicro: 0 });
    expect(stripe.detached).toHaveLength(before + 2);
    await run();
    expect(stripe.intents).toHaveLength(0);
  });

  it('is for owners, and takes amounts that make sense', async () => {
    await ann.founds();
    const [admin, billing, dev] = [
      await ann.colleague('admin'),
      await ann.colleague('billing'),
      await ann.colleague('developer'),
    ];
    expectEnvelope(await admin.post(`${URL}/card`), { status: 403, code: 'ROLE_REQUIRED' });
    expectEnvelope(await admin.send('PUT', URL, RULE), { status: 403, code: 'ROLE_REQUIRED' });
    expect((await billing.get(URL)).body).toMatchObject({ available: true, enabled: false });
    expectEnvelope(await dev.get(URL), { status: 403, code: 'ROLE_REQUIRED' });
    await withCard();
    for (const [wrong, param] of [
      [{ amountUsd: 0.5 }, 'amountUsd'],
      [{ amountUsd: 10.005 }, 'amountUsd'],
      [{ monthUsd: 9 }, 'monthUsd'],
      [{ belowUsd: 0 }, 'belowUsd'],
    ] as const) {
      expectEnvelope(await ann.send('PUT', URL, { ...RULE, ...wrong }), {
        status: 400,
        code: 'INVALID_REQUEST',
        param,
      });
    }
  });

  it('believes no unsigned event, and no page but the newest', async () => {
    await ann.post(`${URL}/card`);
    const old = stripe.cardSaved();
    await ann.post(`${URL}/card`);
    const forged = await stripe.notify(world, stripe.cardSaved(), { secret: 'whsec_another' });
    expect(forged.status).toBe(400);
    await stripe.notify(world, old);
    expect(await shown()).not.toHaveProperty('card');
    await stripe.notify(world, stripe.cardSaved());
    expect(await shown()).toMatchObject({ card: 'visa 4242, expires 07/2031', enabled: false });
  });
});
