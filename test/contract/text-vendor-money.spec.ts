import { VENDORS } from '#models/providers/vendors';
import { KeyCaller } from '../support/caller';
import type { MarginsAnswer } from '#faces/admin/admin-margins.dto';
import { MarginWatchProcessor } from '#money/margins/margin-watch.processor';
import { VendorCosts } from '#money/margins/vendor-costs';
import { catalogOf, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { VENDOR_WORDS } from '../support/fake-provider';
import { type FakeTextServer, type Said, USUAL } from '../support/fake-text-server';
import { forgetRoutes } from '../support/routes';
import { type Answer, World } from '../support/world';
import { textVendorOf } from './text-vendors';

/** All vendors with an outside server, found without a list of names. */
const NAMES = VENDORS.filter(
  (each) => each.serves.text && ('one' in each || each.enabledBy !== undefined),
).map(({ name }) => name);

const FUNDS = 1_000_000n;
const MAX_TOKENS = 64;
/** One dollar for a million input tokens, and four for a million output tokens. */
const RATES = { inputUsdPerMtok: '1', outputUsdPerMtok: '4' };
/** The second vendor's counts differ, so the charge shows which vendor answered. */
const SPARE_COUNTS = { read: 20, written: 10 };
const SPARE_PRICE = 60;
/** The vendor's price of this model is higher than its price in the catalog. */
const COSTLY = textEntry('dear', [], {
  ...RATES,
  routes: [{ provider: 'spare', model: 'gpt-4o', costUsd: { input: '10', output: '10' } }],
});
const LONG = ['Hello', ' there', ', friend', ' of', ' mine', '.'];

/** The money and the routes when a vendor fails, through the whole service. */
describe('texts that go wrong', () => {
  const fakes: Record<string, FakeTextServer> = {};
  let spare: FakeChatCompletions;
  let world: World;
  let caller: KeyCaller;

  beforeAll(async () => {
    spare = await FakeChatCompletions.start();
    const servers = ['spare'];
    const variables: Record<string, string> = {};
    for (const name of NAMES) {
      const vendor = textVendorOf(name);
      const fake = (fakes[name] = await vendor.start());
      const { OPENAI_COMPATIBLE_SERVERS: server, ...own } = vendor.variables(fake.origin, fake.key);
      if (server !== undefined) servers.push(server);
      Object.assign(variables, own);
    }
    world = await World.start({
      ...variables,
      OPENAI_COMPATIBLE_SERVERS: servers.join(','),
      SPARE_BASE_URL: `${spare.origin}/v1`,
      SPARE_API_KEY: spare.key,
      ALLOW_SANDBOX_MIX: 'true',
      RATE_LIMIT_CHAT: '0',
      RATE_LIMIT_ADDRESS: '0',
      RATE_LIMIT_CHALLENGE: '0',
      ...catalogOf(
        [],
        [
          COSTLY,
          ...NAMES.flatMap((name) => {
            const { provider, model } = textVendorOf(name);
            return [
              textEntry(`alone-${name}`, [`${provider}:${model}`], RATES),
              textEntry(`two-${name}`, [`${provider}:${model}`, 'spare:gpt-4o'], RATES),
            ];
          }),
        ],
      ),
    });
  });

  beforeEach(async () => {
    caller = await KeyCaller.register(world, FUNDS);
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(async () => {
    await world.stop();
    await Promise.all([spare, ...Object.values(fakes)].map((fake) => fake.stop()));
  });

  const ask = (model: string, stream = false, more: object = {}): Promise<Answer> =>
    world.post(
      '/v1/chat/completions',
      { model, messages: [{ role: 'user', content: 'Hello.' }], max_tokens: MAX_TOKENS, stream, ...more },
      { 'x-api-key': caller.key },
    );

  const spent = async (): Promise<number> =>
    Number(FUNDS) - (await world.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro;

  const wholeOf = ({ body }: Answer): string => (typeof body === 'string' ? body : JSON.stringify(body));

  describe.each(NAMES)('at the vendor %s', (name) => {
    const vendor = textVendorOf(name);
    let asked: number;

    beforeEach(() => {
      asked = spare.bodies.length;
      spare.forgiveAll();
      fakes[name]!.forgiveAll();
      spare.sayNext({ ...USUAL, counts: SPARE_COUNTS });
    });

    // Each test begins with healthy routes and without pauses of vendors.
    afterEach(async () => {
      fakes[name]!.forgiveAll();
      // All processes share a pause, and its notification may come after the answer.
      await expectEventually(async () => {
        forgetRoutes(world);
        return (await ask(`alone-${name}`)).status === 200;
      });
    });

    it.each<[string, boolean, () => void]>([
      ['401', false, () => fakes[name]!.failNext('chat', 401)],
      ['403', true, () => fakes[name]!.failNext('chat', 403)],
      ['429', false, () => fakes[name]!.failNext('chat', 429)],
      ['529', true, () => fakes[name]!.failNext('chat', 529)],
      ['500', false, () => fakes[name]!.failNext('chat', 500)],
      ['503', true, () => fakes[name]!.failNext('chat', 503)],
      ['an empty account', false, () => fakes[name]!.failNext('chat', { says: vendor.emptyAccount })],
      [
        'an overload before the first word',
        true,
        () => fakes[name]!.sayNext({ ...USUAL, after: { events: 0, comes: 'trouble' } }),
      ],
    ])('%s sends the call to the next route, which alone is paid (streamed: %s)', async (_, stream, fail) => {
      fail();
      const answer = await ask(`two-${name}`, stream);

      expect(answer.status).toBe(200);
      expect(spare.bodies.length - asked).toBe(1);
      expect(await spent()).toBe(SPARE_PRICE);
      expect(wholeOf(answer)).not.toContain(VENDOR_WORDS);
    });

    it.each<[string, number, () => void]>([
      ['400', 502, () => fakes[name]!.failNext('chat', 400)],
      ['a reset', 503, () => fakes[name]!.failNext('chat', 'reset')],
      ['an answer that is lost', 503, () => fakes[name]!.failNext('chat', 'drop reply')],
      ['no JSON', 503, () => fakes[name]!.failNext('chat', 'garbage')],
      [
        'refused content',
        502,
        () => fakes[name]!.sayNext({ texts: [], finish: 'content_filter', counts: { read: 9, written: 0 } }),
      ],
    ])('%s is %i, asks nobody else, and costs nothing', async (_, status, fail) => {
      fail();
      const answer = await ask(`two-${name}`);

      expect([answer.status, answer.headers['x-charge-state']]).toEqual([status, 'released']);
      expect(spare.bodies).toHaveLength(asked);
      expect(await spent()).toBe(0);
      expect(wholeOf(answer)).not.toContain(VENDOR_WORDS);
    });

    it.each(['trouble', 'reset'] as const)(
      'a stream that ends in %s says so, asks nobody else, and costs nothing',
      async (comes) => {
        fakes[name]!.sayNext({ texts: LONG, after: { events: 4, comes } });
        const answer = await ask(`two-${name}`, true);

        expect(wholeOf(answer)).toContain('Hello');
        expect(wholeOf(answer)).toContain('"code":"PROVIDER_UNAVAILABLE"');
        expect(wholeOf(answer)).not.toContain('[DONE]');
        expect(spare.bodies).toHaveLength(asked);
        expect(await spent()).toBe(0);
      },
    );

    it.each<[string, Said['counts']]>([
      ['far too many', { read: 900_000_000, written: 900_000_000 }],
      ['less than none', { read: -1, written: -1 }],
      ['words', { read: 'a', written: {} }],
      ['nothing', undefined],
    ])('counts that are %s are charged within the worst case', async (_, counts) => {
      fakes[name]!.sayNext({ ...USUAL, counts });
      const answer = await ask(`alone-${name}`, true);
      const { priceMicro: most } = (await ask(`alone-${name}`, false, { dryRun: true })).body;

      expect(answer.status).toBe(200);
      expect(await spent()).toBeGreaterThan(0);
      expect(await spent()).toBeLessThanOrEqual(most);
    });

    it('an account that is empty has a name of its own in the metrics', async () => {
      fakes[name]!.failNext('chat', { says: vendor.emptyAccount });
      await ask(`two-${name}`);

      const { body } = await world.get('/metrics');
      const line = new RegExp(
        `provider_errors_total\\{[^}]*provider="${vendor.provider}"[^}]*"EMPTY_ACCOUNT"`,
      );
      expect(String(body)).toMatch(line);
    });

    it('three failures open the circuit breaker of a route, and a later call tries it again', async () => {
      for (let failure = 0; failure < 3; failure += 1) {
        spare.sayNext({ ...USUAL, counts: SPARE_COUNTS });
        fakes[name]!.failNext('chat', 529);
        await ask(`two-${name}`);
      }
      const before = fakes[name]!.seen.length;

      expect((await ask(`two-${name}`)).status).toBe(200);
      expect(fakes[name]!.seen).toHaveLength(before);
      // A model with only one route uses it also while it is paused.
      expect((await ask(`alone-${name}`)).status).toBe(200);
      expect((await ask(`two-${name}`)).status).toBe(200);
      expect(fakes[name]!.seen.length).toBe(before + 2);
    });
  });

  /** This test runs last, because it reads the calls of all vendors from the books. */
  it('cost at each vendor what its answers count, and the margins equal the books', async () => {
    spare.sayNext({ ...USUAL, counts: SPARE_COUNTS });
    expect((await ask('dear')).status).toBe(200);
    await world.app.get(VendorCosts, { strict: false }).write();
    await world.app.get(MarginWatchProcessor, { strict: false }).run();

    const operator = { authorization: 'Bearer an-admin-token-for-tests' };
    const { models, days } = (await world.get('/v1/admin/margins', operator)).body as MarginsAnswer;

    const charged = await world.db.rows<{ model: string; sum: number }>(
      `select model_id as model, sum(price_micro)::int as sum from charge where state = 'charged' group by 1`,
    );
    expect(
      new Set(models.filter(({ revenueMicro }) => revenueMicro > 0).map(({ modelId }) => modelId)),
    ).toEqual(new Set(charged.map(({ model }) => model)));
    for (const { model, sum } of charged)
      expect([model, models.find(({ modelId }) => modelId === model)?.revenueMicro]).toEqual([model, sum]);
    for (const name of NAMES) {
      const routes = days
        .filter(({ modelId }) => modelId === `two-${name}`)
        .flatMap((day) => day.routes.filter(({ provider }) => provider === 'spare'));
      expect(routes.reduce((sum, { costMicro }) => sum + costMicro, 0)).toBeGreaterThan(0);
    }
    // Thirty tokens at ten dollars a million cost more than their price in the catalog.
    expect(models.find(({ modelId }) => modelId === 'dear')).toMatchObject({
      modelId: 'dear',
      status: 'below-cost',
      revenueMicro: 60,
      costMicro: 300,
    });
    expect((await world.get('/metrics')).body).toContain(
      'lamppost_model_margin_micro_usd{model="dear"} -240',
    );
  });
});
