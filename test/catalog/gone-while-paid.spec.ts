import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { CHAT_URL, callersOf } from '../contract/rail-callers';
import { ListingVendor } from '../support/listing-vendor';
import { World } from '../support/world';

const MODELS = [
  'gpt-6-sol',
  'gpt-4.1',
  'gpt-4.1-mini',
  'gpt-5.2',
  'gpt-4.1-nano',
  'gpt-5-nano',
  'gpt-5-mini',
];
const [SOLD, ...OTHERS] = MODELS as [string, ...string[]];
const ROUTES = [CHAT_URL, '/v1/chat/completions', '/v1/messages', '/v1/responses'];
const WAYS = ['x402', 'mpp', 'api-key', 'wallet'];
/** Only accounts and wallets with a balance pay by usage. */
const CELLS = WAYS.flatMap((way) =>
  (way === 'x402' || way === 'mpp' ? [CHAT_URL] : ROUTES).map((path) => [way, path] as const),
);

const bodyOf = (path: string, words: string): object => ({
  model: 'lumen-ultra',
  ...(path === '/v1/responses'
    ? { input: words, max_output_tokens: 20 }
    : { messages: [{ role: 'user', content: words }], max_tokens: 20 }),
});

describe('a model that its vendor loses', () => {
  let vendor: ListingVendor;
  let world: World;
  const lists = async (...models: string[]): Promise<void> => {
    vendor.sells(...models);
    await world.app.get(VendorLists, { strict: false }).ask();
  };

  beforeAll(async () => {
    vendor = await new ListingVendor().start();
    world = await World.start({
      OPENAI_API_KEY: 'sk-a-key-0123456789',
      OPENAI_BASE_URL: `${vendor.origin}/v1`,
      ALLOW_SANDBOX_MIX: 'true',
    });
  });
  beforeEach(() => lists(...MODELS));
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await vendor.stop();
  });

  it.each(CELLS)('is paid by no new call of %s at %s, and answers paid calls again', async (way, path) => {
    const caller = await callersOf(way).caller(world, 5_000_000n);
    const [old, fresh] = [bodyOf(path, `Old ${way}`), bodyOf(path, `New ${way}`)];
    // The proof of a wallet is for one call.
    const proof = await caller.credential(old, undefined, path);
    const again = () => (way === 'wallet' ? caller.credential(old, undefined, path) : proof);
    const key = { 'idempotency-key': `${way} ${path}` };
    const paid = await world.post(path, old, { ...proof, ...key });
    expect(paid.status).toBe(200);
    const payment = await caller.credential(fresh, undefined, path);

    await lists(...OTHERS);
    const [left, asked] = [await caller.left(), vendor.asked.length];
    const repeated = await world.post(path, old, { ...(await again()), ...key });
    expect([repeated.status, repeated.headers['x-charge-id']]).toEqual([200, paid.headers['x-charge-id']]);
    const refused = await world.post(path, fresh, payment);
    expect([refused.status, refused.headers['x-charge-id']]).toEqual([503, undefined]);
    expect((await world.post(`/v1/agent/quote?path=${path}`, fresh)).status).toBe(503);
    expect([await caller.left(), vendor.asked.length]).toEqual([left, asked]);

    // The payment that was refused is still good.
    await lists(...MODELS);
    const late = way === 'wallet' ? await caller.credential(fresh, undefined, path) : payment;
    expect((await world.post(path, fresh, late)).status).toBe(200);
  });

  it.each(ROUTES)('answers paid calls at %s again, though a list has the alias of the call', async (path) => {
    const caller = await callersOf('api-key').caller(world, 5_000_000n);
    const alias = 'claude-haiku-4-5';
    const headers = {
      ...(await caller.credential({}, undefined, path)),
      'idempotency-key': `alias ${path}`,
      'x-max-price-micro': '100000',
    };
    const body = { ...bodyOf(path, 'By an alias'), model: alias };
    const paid = await world.post(path, body, headers);
    expect(paid.status).toBe(200);
    // Its list has no price for this name, so the name is no alias of an own model any more.
    await lists(...MODELS, alias);
    const repeated = await world.post(path, body, headers);
    expect([repeated.status, repeated.headers['x-charge-id']]).toEqual([200, paid.headers['x-charge-id']]);
    const { status } = await world.post(path, body, { ...headers, 'idempotency-key': `new ${path}` });
    expect(status).toBe(503);
  });

  it.each(CELLS)('takes no money of %s at %s if only the call shows it', async (way, path) => {
    vendor.lacks = [SOLD];
    const caller = await callersOf(way).caller(world, 5_000_000n);
    const left = await caller.left();
    const body = bodyOf(path, 'Hi');
    const { status, headers } = await world.post(path, body, await caller.credential(body, undefined, path));
    vendor.lacks = [];
    expect([status, headers['x-charge-state'], headers['x-charge-micro']]).toEqual([503, 'released', '0']);
    expect(await caller.left()).toBe(left);
  });
});
