import { VendorCosts } from '#money/margins/vendor-costs';
import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { FakeAnthropic } from '../support/fake-anthropic';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';

const OLD = '2020-01-01';

/** Two processes of one service. Two vendors serve its models. */
describe('the routes of a model', () => {
  let [first, second]: { readonly bodies: readonly unknown[] }[] = [];
  let fakes: (FakeAnthropic | FakeChatCompletions)[];
  let worlds: World[];
  let caller: KeyCaller;

  beforeAll(async () => {
    const [claude, other] = await Promise.all([FakeAnthropic.start(), FakeChatCompletions.start()]);
    [first, second] = [claude, other];
    fakes = [claude, other];
    const routes = ['anthropic:claude-haiku-4-5', 'openai:gpt-4o'] as const;
    const env = {
      ...claude.env,
      OPENAI_BASE_URL: `${other.origin}/v1`,
      OPENAI_API_KEY: other.key,
      ALLOW_SANDBOX_MIX: 'true',
      DATABASE_URL: await cloneDatabase(),
      ...catalogOf(
        [],
        [
          textEntry('both', routes, { default: true, aliases: ['both-latest'] }),
          textEntry('hedged', routes, { hedgeAfterMs: 100 }),
          textEntry('gone', routes, { retiresOn: OLD, replacedBy: 'both' }),
        ],
      ),
    };
    worlds = [await World.start(env), await World.start(env)];
    caller = await KeyCaller.register(worlds[0]!, 1_000_000n);
  });

  afterAll(async () => {
    await worlds[0]!.expectBooksToBalance();
    for (const world of worlds) await world.stop();
    await Promise.all(fakes.map((fake) => fake.stop()));
  });

  const ask = (world: World, model: string) =>
    world.post(
      '/v1/chat/completions',
      { model, messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 16 },
      { 'x-api-key': caller.key },
    );
  const balance = async (): Promise<number> =>
    (await worlds[0]!.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro;
  const counts = (): readonly number[] => [first!.bodies.length, second!.bodies.length];

  it('is called by another id of it, and its answer has the id that was asked', async () => {
    const { status, body } = await ask(worlds[0]!, 'both-latest');

    expect([status, body.model]).toEqual([200, 'both-latest']);
    const quote = await worlds[0]!.post('/v1/agent/quote', { modelId: 'both-latest' });
    expect([quote.status, quote.body.modelId]).toEqual([200, 'both']);
    const { textModels } = (await worlds[0]!.get('/v1/agent/models')).body;
    expect(textModels).toMatchObject([{ id: 'both', aliases: ['both-latest'] }, { id: 'hedged' }]);
    expect(JSON.stringify(textModels)).not.toContain('hedgeAfterMs');
  });

  it('costs nothing once the model is retired, and the answer names its successor', async () => {
    const before = await balance();

    const { status, body } = await ask(worlds[0]!, 'gone');

    expect([status, body.error.code]).toEqual([503, 'NOT_OFFERED']);
    expect(body.error.message).toContain('use both instead');
    expect(await balance()).toBe(before);
  });

  it('are two for a slow call where the operator allows it, and the caller pays once', async () => {
    const world = worlds[0]!;
    const [before, paid] = [counts(), await balance()];
    const charges = async () =>
      world.db.rows<{ price: number }>(
        `select price_micro::int as price from charge where model_id = 'hedged' and state = 'charged'`,
      );
    fakes[0]!.failNext('chat', 'hang', 'hang');

    expect((await ask(world, 'hedged')).status).toBe(200);
    const body = { messages: [{ role: 'user', content: 'Hello.' }], model: 'hedged', max_tokens: 16 };
    expect((await world.post('/v1/agent/chat', body, { 'x-api-key': caller.key })).status).toBe(200);

    expect(counts()).toEqual([before[0], before[1]! + 2]);
    const prices = await charges();
    expect(prices).toHaveLength(2);
    expect(paid - (await balance())).toBe(prices.reduce((sum, { price }) => sum + price, 0));
    await world.app.get(VendorCosts, { strict: false }).write();
    const { days } = (
      await world.get('/v1/admin/margins', { authorization: 'Bearer an-admin-token-for-tests' })
    ).body;
    const { calls, routes } = days.find(({ modelId }: { modelId: string }) => modelId === 'hedged');
    expect(calls).toBe(2);
    expect(routes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ provider: 'anthropic', calls: 2, unusedCalls: 2 }),
        expect.objectContaining({ provider: 'openai', calls: 2, unusedCalls: 0 }),
      ]),
    );
    const { body: routed } = await world.get('/v1/admin/routes', {
      authorization: 'Bearer an-admin-token-for-tests',
    });
    const hedged = routed.models.find(({ id }: { id: string }) => id === 'hedged').routes;
    expect(hedged[0]).toMatchObject({ provider: 'anthropic', state: 'closed', failures: 0 });
  });

  it('keep to the rate limit of a vendor in all processes, and operators see it', async () => {
    const [one, other] = worlds as [World, World];
    const before = counts();
    fakes[0]!.failNext('chat', { says: { status: 429, headers: { 'retry-after': '30' }, json: {} } });

    expect((await ask(one, 'both')).status).toBe(200);
    expect(counts()).toEqual([before[0], before[1]! + 1]);

    const routesOf = async (world: World) => {
      const { body } = await world.get('/v1/admin/routes', {
        authorization: 'Bearer an-admin-token-for-tests',
      });
      return body.models.find(({ id }: { id: string }) => id === 'both').routes;
    };
    for (const world of [one, other]) {
      expect(await routesOf(world)).toEqual([
        expect.objectContaining({ provider: 'anthropic', state: 'paused' }),
        expect.objectContaining({ provider: 'openai', state: 'closed' }),
      ]);
    }
    expect((await ask(other, 'both')).status).toBe(200);
    expect(counts()).toEqual([before[0], before[1]! + 2]);
  });
});
