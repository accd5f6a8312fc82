import { ModelChangesProcessor } from '#notices/alerts/model-changes.processor';
import { ModelChangesRepository } from '#notices/alerts/model-changes.repository';
import { modelsNow } from '#notices/alerts/model-changes';
import { Catalog } from '#models/catalog/catalog';
import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { KeyCaller } from '../support/caller';
import { ListingVendor } from '../support/listing-vendor';
import { World } from '../support/world';

const ADMIN = { authorization: 'Bearer an-admin-token-for-tests', 'content-type': 'application/json' };

describe('events of models', () => {
  let vendor: ListingVendor;
  let world: World;

  const env = () => ({
    ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
    ANTHROPIC_BASE_URL: `${vendor.origin}/v1`,
    OPENAI_COMPATIBLE_SERVERS: 'router',
    ROUTER_BASE_URL: `${vendor.origin}/v1`,
    CATALOG_WITHOUT: 'router/claude*',
    ALLOW_SANDBOX_MIX: 'true',
  });

  beforeEach(async () => {
    vendor = await new ListingVendor().start();
    vendor.sells('claude-opus-5', 'claude-sonnet-4-6');
    world = await World.start(env());
    await ask();
  });
  afterEach(async () => {
    await world.expectBooksToBalance();
    await world.stop();
    await vendor.stop();
  });

  const ask = () => world.app.get(VendorLists, { strict: false }).ask();
  const announce = () => world.app.get(ModelChangesProcessor, { strict: false }).run();
  const patch = (markup: string | null) =>
    world.send({
      method: 'PATCH',
      url: '/v1/admin/models/claude-opus-5',
      headers: ADMIN,
      payload: JSON.stringify({ markup }),
    });
  const chat = ({ key }: KeyCaller, model: string) =>
    world.post(
      '/v1/chat/completions',
      { model, max_tokens: 200, messages: [{ role: 'user', content: 'Hi' }] },
      { 'x-api-key': key },
    );
  const eventsOf = async ({ key }: KeyCaller) =>
    (
      await world.get('/v1/agent/events?types=model.changed,model.unavailable,model.retired', {
        'x-api-key': key,
        prefer: 'wait=1',
      })
    ).body.events as Record<string, unknown>[];

  it('reach the owners who used the model in the last 30 days, once for each change', async () => {
    const user = await KeyCaller.register(world, 1_000_000n);
    const other = await KeyCaller.register(world, 1_000_000n);
    expect((await chat(user, 'claude-opus-5')).status).toBe(200);
    expect((await chat(user, 'claude-opus-5')).status).toBe(200);
    expect((await chat(other, 'claude-sonnet-4-6')).status).toBe(200);
    await announce();
    expect(await eventsOf(user)).toEqual([]);

    await patch('2/1');
    await Promise.all([announce(), announce()]);
    await announce();
    const [changed, ...more] = await eventsOf(user);
    expect(more).toEqual([]);
    expect(changed).toMatchObject({
      type: 'model.changed',
      data: {
        id: 'claude-opus-5',
        name: 'Claude Opus 5',
        price: { inputUsdPerMtok: '10.00' },
        before: { inputUsdPerMtok: '6.25' },
      },
    });
    expect(await eventsOf(other)).toEqual([]);

    // The next change follows at once.
    await patch(null);
    await Promise.all([announce(), announce()]);
    await announce();
    expect((await eventsOf(user)).at(-1)).toMatchObject({
      data: { price: { inputUsdPerMtok: '6.25' }, before: { inputUsdPerMtok: '10.00' } },
    });
    expect(await eventsOf(user)).toHaveLength(2);

    // Two releases that run side by side announce no price again and again.
    const changes = world.app.get(ModelChangesRepository, { strict: false });
    const opus = (price: object) => ({
      id: 'claude-opus-5',
      facts: { price },
      shown: { id: 'claude-opus-5', name: 'x' },
    });
    await changes.store('another release', new Date(), async () => [opus({ inputUsdPerMtok: '1' })]);
    while (await changes.inform());
    await announce();
    expect(await eventsOf(user)).toHaveLength(2);

    vendor.sells('claude-opus-5');
    await ask();
    await announce();
    await announce();
    expect(await eventsOf(other)).toMatchObject([
      { type: 'model.retired', data: { id: 'claude-sonnet-4-6', retiredOn: expect.any(String) } },
    ]);
    expect(await eventsOf(user)).toHaveLength(2);

    // A model retires after its price changed.
    await patch('2/1');
    vendor.sells('claude-opus-5', 'claude-haiku-4-5');
    await ask();
    await announce();
    vendor.sells('claude-haiku-4-5');
    await ask();
    await announce();
    expect((await eventsOf(user)).map(({ type }) => type)).toEqual([
      'model.changed',
      'model.changed',
      'model.changed',
      'model.retired',
    ]);
    // A process that starts now, and knows nothing of it, announces nothing.
    const second = await World.start({ ...env(), DATABASE_URL: world.settings.databaseUrl! });
    await second.app.get(ModelChangesProcessor, { strict: false }).run();
    await second.stop();
    await announce();
    expect(await eventsOf(user)).toHaveLength(4);

    const inAMonth = new Date(Date.now() + 31 * 86_400_000);
    const dearer = { id: 'claude-sonnet-4-6', facts: { price: {} }, shown: { id: 'x', name: 'x' } };
    await world.db.rows('update announced_model set changed_at = null');
    await changes.store('test', inAMonth, async () => [dearer]);
    while (await changes.inform());
    expect(await eventsOf(other)).toHaveLength(1);
  });

  it.each([
    ['rises more than ten times', { prompt: '0.00002', completion: '0.00002' }],
    ['is 0', { prompt: '0', completion: '0' }],
    ['cannot be read', { prompt: 'free', completion: 'free' }],
  ])('say that a model is not for sale while its price %s, and when it is again', async (_, pricing) => {
    const listed = async (now: object): Promise<void> => {
      vendor.sells('claude-opus-5', { id: 'maker/m-2026-01-01', name: 'M', pricing: now });
      await ask();
      await announce();
    };
    const usual = { prompt: '0.000001', completion: '0.000002' };
    await listed(usual);
    const user = await KeyCaller.register(world, 1_000_000n);
    expect((await chat(user, 'maker/m')).status).toBe(200);
    await listed(pricing);
    await listed(pricing);
    const data = { id: 'maker/m', name: 'M', price: { inputUsdPerMtok: '1.25' } };
    expect(await eventsOf(user)).toMatchObject([
      { type: 'model.unavailable', data: { ...data, forSale: false } },
    ]);
    await listed(usual);
    expect((await eventsOf(user)).at(-1)).toMatchObject({
      type: 'model.changed',
      data: { ...data, before: data.price },
    });
    expect(await eventsOf(user)).toHaveLength(2);
  });

  it('reach each owner once, though a step fails and others run at the same time', async () => {
    const users = await Promise.all([1, 2, 3].map(() => KeyCaller.register(world, 1_000_000n)));
    for (const user of users) await chat(user, 'claude-opus-5');
    await announce();
    await patch('2/1');
    const changes = world.app.get(ModelChangesRepository, { strict: false });
    const now = modelsNow(world.app.get(Catalog, { strict: false }), world.settings.price);
    await changes.store('test', new Date(), async () => now);
    // A statement that runs too long: the next one reads less.
    await world.db.rows(`create function too_slow() returns trigger language plpgsql as $$
      begin raise exception 'too slow' using errcode = '57014'; end $$`);
    await world.db.rows(
      'create trigger too_slow before insert on event for each row execute function too_slow()',
    );
    const walk = async (): Promise<void> => {
      while (await changes.inform());
    };
    await expect(walk()).rejects.toThrow('briefly unavailable');
    await world.db.rows('drop trigger too_slow on event');
    await Promise.all([walk(), walk(), announce()]);
    for (const user of users) expect(await eventsOf(user)).toHaveLength(1);
    expect(await world.db.rows('select 1 from announced_model where informed_to is not null')).toEqual([]);
  });
});
