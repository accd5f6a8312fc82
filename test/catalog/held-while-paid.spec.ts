import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { type ChannelStage, channelStage } from '../channels/channel-world';
import { CHAT_URL, callersOf } from '../contract/rail-callers';
import { cloneDatabase } from '../support/postgres';
import { ListingVendor } from '../support/listing-vendor';
import { World } from '../support/world';

const COMPLETIONS = '/v1/chat/completions';
const ROUTES = [CHAT_URL, COMPLETIONS, '/v1/messages', '/v1/responses'];
const WAYS = ['x402', 'mpp', 'api-key', 'wallet'];
/** Only accounts and wallets with a balance pay by usage. */
const CELLS = WAYS.flatMap((way) =>
  (way === 'x402' || way === 'mpp' ? [CHAT_URL] : ROUTES).map((path) => [way, path] as const),
);

const ID = 'maker/model-a';
const priced = (usd: string) => [{ id: ID, pricing: { prompt: usd, completion: usd } }];
const USUAL = priced('0.000001');
/** More than ten times as much, so an operator must agree. */
const HELD = priced('0.0001');
const BROKEN = [{ id: ID, pricing: { prompt: 'much', completion: 'more' } }];

const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQImWP4z8AAAAMBAQCc479ZAAAAAElFTkSuQmCC';

const bodyOf = (path: string, words: string): object => ({
  model: ID,
  ...(path === '/v1/responses'
    ? { input: words, max_output_tokens: 20 }
    : { messages: [{ role: 'user', content: words }], max_tokens: 20 }),
});

/** Pays a call, then changes the list, and repeats the call. */
const expectRepeated = async (
  world: World,
  [way, path]: readonly [way: string, path: string],
  change: () => Promise<World>,
): Promise<void> => {
  const caller = await callersOf(way).caller(world, 5_000_000n);
  const [old, fresh] = [bodyOf(path, 'Old'), bodyOf(path, 'New')];
  const proof = await caller.credential(old, undefined, path);
  // The proof of a wallet is for one call.
  const again = way === 'wallet' ? await caller.credential(old, undefined, path) : proof;
  const key = { 'idempotency-key': `${way} ${path} of a test` };
  const paid = await world.post(path, old, { ...proof, ...key });
  expect(paid.status).toBe(200);
  const payment = way === 'channel' ? undefined : await caller.credential(fresh, undefined, path);

  const later = await change();
  const left = await caller.left();
  const repeated = await later.post(path, old, { ...again, ...key });
  expect([repeated.status, repeated.headers['x-charge-id'], repeated.body]).toEqual([
    200,
    paid.headers['x-charge-id'],
    paid.body,
  ]);
  if (payment !== undefined) {
    const refused = await later.post(path, fresh, payment);
    expect([refused.status, refused.headers['x-charge-id']]).toEqual([503, undefined]);
    expect(refused.body.error.code ?? refused.body.error.type).toMatch(/NOT_OFFERED|api_error/);
  }
  expect((await later.post(`/v1/agent/quote?path=${path}`, fresh)).status).toBe(503);
  expect(await caller.left()).toBe(left);
};

describe('a model of a list that is not for sale any more', () => {
  let vendor: ListingVendor;
  let database: string;
  const worlds: World[] = [];
  const stages: ChannelStage[] = [];
  const settings = () => ({
    OPENAI_COMPATIBLE_SERVERS: 'router',
    ROUTER_BASE_URL: `${vendor.origin}/v1`,
    ALLOW_SANDBOX_MIX: 'true',
    DATABASE_URL: database,
  });
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<World> => {
    const world = await World.start({ ...settings(), ...env });
    worlds.push(world);
    return world;
  };
  const lists = async (world: World, models: readonly object[]): Promise<World> => {
    vendor.sells(...models);
    await world.app.get(VendorLists, { strict: false }).ask();
    return world;
  };

  beforeEach(async () => {
    vendor = await new ListingVendor().start();
    database = await cloneDatabase();
  });
  afterEach(async () => {
    for (const world of worlds.splice(0)) {
      await world.expectBooksToBalance();
      await world.stop();
    }
    for (const stage of stages.splice(0)) {
      await stage.world.expectBooksToBalance();
      await stage.stop();
    }
    await vendor.stop();
  });

  it.each(CELLS)('because its price is held, answers paid calls of %s at %s again', async (...cell) => {
    const world = await lists(await start(), USUAL);
    await expectRepeated(world, cell, () => lists(world, HELD));
  });

  it.each([CHAT_URL, COMPLETIONS])('answers calls again that a channel paid at %s', async (path) => {
    const stage = await channelStage(settings());
    stages.push(stage);
    await lists(stage.world, USUAL);
    await expectRepeated(stage.world, ['channel', path], () => lists(stage.world, HELD));
  });

  it('because its price is held, answers a paid call with a picture again', async () => {
    const seeing = ([model]: readonly object[]) => [
      { ...model, architecture: { input_modalities: ['text', 'image'] } },
    ];
    const world = await lists(await start(), seeing(USUAL));
    const caller = await callersOf('api-key').caller(world, 5_000_000n);
    const content = [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: DOT } },
    ];
    const body = { model: ID, max_tokens: 20, messages: [{ role: 'user', content }] };
    const key = {
      ...(await caller.credential(body, undefined, COMPLETIONS)),
      'idempotency-key': 'a picture',
    };
    const paid = await world.post(COMPLETIONS, body, key);
    expect(paid.status).toBe(200);
    await lists(world, seeing(HELD));
    const repeated = await world.post(COMPLETIONS, body, key);
    expect([repeated.status, repeated.headers['x-charge-id'], repeated.body]).toEqual([
      200,
      paid.headers['x-charge-id'],
      paid.body,
    ]);
  });

  it('because its price is none, answers paid calls again', async () => {
    const world = await lists(await start(), USUAL);
    await expectRepeated(world, ['x402', CHAT_URL], () => lists(world, BROKEN));
  });

  it.each(['x402', 'api-key'])(
    'because an operator left it out, answers paid calls of %s again',
    async (way) => {
      const world = await lists(await start(), USUAL);
      await expectRepeated(world, [way, CHAT_URL], async () =>
        lists(await start({ CATALOG_WITHOUT: '*/maker/*' }), USUAL),
      );
    },
  );
});
