import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ModelChoiceRepository } from '#models/catalog/choices/model-choice.repository';
import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { OffSwitchRepository } from '#models/catalog/off-switch.repository';
import { TOKEN_KINDS } from '#models/providers/token-prices';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { ListingVendor } from '../support/listing-vendor';
import { cloneDatabase } from '../support/postgres';
import { type Answer, World } from '../support/world';
import { CHAT_URL, signedPayment } from '../contract/rail-callers';

const ADMIN = { authorization: 'Bearer an-admin-token-for-tests', 'content-type': 'application/json' };
const MODEL = 'claude-opus-5';

describe('a change of a model', () => {
  let vendor: ListingVendor;
  let database: string;
  const worlds: World[] = [];

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<World> => {
    const world = await World.start({
      ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
      ANTHROPIC_BASE_URL: `${vendor.origin}/v1`,
      OPENAI_COMPATIBLE_SERVERS: 'router',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      CATALOG_WITHOUT: 'router/claude*',
      ALLOW_SANDBOX_MIX: 'true',
      DATABASE_URL: database,
      ...env,
    });
    worlds.push(world);
    await ask(world);
    return world;
  };
  const ask = (world: World) => world.app.get(VendorLists, { strict: false }).ask();
  const lines = async (world: World) =>
    (await world.get('/v1/admin/models', ADMIN)).body.models as { id: string; [name: string]: unknown }[];
  const line = async (world: World, id = MODEL, at = 'anthropic') =>
    (await lines(world)).find((each) => each.id === id && each['vendor'] === at);
  const patch = (world: World, body: object, id = MODEL): Promise<Answer> =>
    world.send({
      method: 'PATCH',
      url: `/v1/admin/models/${encodeURIComponent(id)}`,
      headers: ADMIN,
      payload: JSON.stringify(body),
    });
  const shown = async (world: World, id = MODEL) =>
    ((await world.get('/v1/agent/models')).body.textModels as { id: string; inputUsdPerMtok: string }[]).find(
      (each) => each.id === id,
    );
  const audited = async (world: World) =>
    (await world.get('/v1/admin/audit?limit=50', ADMIN)).body.entries as Record<string, unknown>[];
  const balance = async (world: World, { key }: KeyCaller): Promise<number> =>
    (await world.get('/v1/agent/balance', { 'x-api-key': key })).body.balanceMicro as number;

  beforeEach(async () => {
    vendor = await new ListingVendor().start();
    database = await cloneDatabase();
    vendor.sells(MODEL, 'claude-sonnet-4-6', {
      id: 'maker/model-a',
      pricing: { prompt: '0.000001', completion: '0.000002' },
    });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const world of worlds.splice(0)) {
      await world.expectBooksToBalance();
      await world.stop();
    }
    await vendor.stop();
  });

  it('reaches the other processes, though the reading after it fails', async () => {
    const [world, other] = [await start(), await start()];
    const choices = world.app.get(ModelChoiceRepository, { strict: false });
    const all = choices.all.bind(choices);
    let isAway = false;
    jest
      .spyOn(choices, 'all')
      .mockImplementation(() => (isAway ? Promise.reject(new Error('The database is away.')) : all()));
    const change = choices.change.bind(choices);
    jest.spyOn(choices, 'change').mockImplementation(async (...args) => {
      await change(...args);
      isAway = true;
    });
    expect((await patch(world, { markup: '2/1' })).status).toBeGreaterThanOrEqual(500);
    await expectEventually(async () => (await shown(other))?.inputUsdPerMtok === '10.00');
    isAway = false;
    await expectEventually(async () => (await shown(world))?.inputUsdPerMtok === '10.00');
  });

  it('is refused for a name that the catalog has, and that a vendor lists with two prices', async () => {
    const at = (id: string, prompt: string) => ({ id, pricing: { prompt, completion: prompt } });
    const world = await start();
    const own = (await lines(world)).find(({ isListed }) => isListed === false)!.id;
    vendor.sells(at(own, '0.0001'), at('maker/two', '0.000001'), at('maker/two', '0.000002'));
    await ask(world);
    expect(await line(world, own, 'router')).toMatchObject({
      forSale: false,
      why: 'the catalog has a model of its own under this name',
    });
    expect(await line(world, 'maker/two', 'router')).toMatchObject({
      forSale: false,
      why: 'its vendor lists it twice, with different prices',
    });
    expect((await patch(world, { markup: '9/1' }, own)).body.error.param).toBe('markup');
  });

  it('of several parts is made whole or not at all', async () => {
    const world = await start();
    const switches = world.app.get(OffSwitchRepository, { strict: false });
    jest.spyOn(switches, 'off').mockRejectedValue(new Error('The database is away.'));
    expect((await patch(world, { markup: '2/1', forSale: false })).status).toBeGreaterThanOrEqual(500);
    expect((await shown(world))?.inputUsdPerMtok).toBe('6.25');
    expect(await line(world)).toMatchObject({ forSale: true, changes: {} });
    expect(await audited(world)).toEqual([]);
  });

  it('is in the audit in its full length', async () => {
    const world = await start();
    const step = (tokens: number) => ({ tokens, usd: `${100 + tokens}.123456` });
    const rate = { base: '100', above: Array.from({ length: 100 }, (_, at) => step(at + 1)) };
    const rates = Object.fromEntries(TOKEN_KINDS.map((kind) => [`${kind}UsdPerMtok`, rate]));
    expect((await patch(world, { rates, reason: 'x'.repeat(300) })).status).toBe(200);
    const [entry] = await audited(world);
    expect(entry?.['reason']).toMatch(/^x{300} — .*; outputAudio \$100, .*, \$200\.123456 above 100 tokens$/);
    expect((await patch(world, { markup: '2/1', reason: 'a\0b' })).status).toBe(400);
  });

  it('tries no route twice', async () => {
    const world = await start();
    const route = { provider: 'anthropic', model: MODEL };
    const { status, body } = await patch(world, { routes: [route, route] });
    expect([status, body.routes]).toEqual([200, [expect.objectContaining(route)]]);
  });

  it('charges no more than the quote or the offer of before', async () => {
    const world = await start();
    const key = await KeyCaller.register(world, 1_000_000n);
    const id = 'maker/model-a';
    const call = { model: id, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
    const path = '/v1/chat/completions';
    const quoted = await world.post(`/v1/agent/quote?path=${path}`, call, { 'x-api-key': key.key });
    expect(quoted.status).toBe(200);
    const wallet = new WalletCaller();
    const payment = await signedPayment(world, wallet, call);
    await patch(world, { markup: '9/1' }, id);

    const before = await balance(world, key);
    const { quoteId, priceMicro } = quoted.body;
    const answer = await world.post(path, { ...call, quoteId }, { 'x-api-key': key.key });
    expect(answer.status).toBe(200);
    expect(before - (await balance(world, key))).toBeLessThanOrEqual(priceMicro);
    const paid = await world.post(CHAT_URL, call, { 'payment-signature': payment });
    expect([paid.status, paid.headers['x-charge-state']]).toEqual([200, 'charged']);
  });

  it('to a held price holds for this time only', async () => {
    const world = await start();
    const id = 'maker/model-a';
    const list = async (prompt: string) => {
      vendor.sells(MODEL, 'claude-sonnet-4-6', { id, pricing: { prompt, completion: '0.000002' } });
      await ask(world);
      return line(world, id, 'router');
    };
    const raised = await list('0.00002');
    const [held] = raised!['held'] as object[];
    expect((await patch(world, { agree: held }, id)).body.forSale).toBe(true);
    await world.db.rows(`update list_agreement set agreed_at = now() - interval '1 day'`);
    await list('0.000004');
    expect(await list('0.0000015')).toMatchObject({ forSale: true });
    expect(await list('0.00002')).toMatchObject({ forSale: false, held: [held] });
  });

  it('of a model that is not for sale yet is not lost', async () => {
    vendor.sells(MODEL, { id: 'gpt-5-2025-08-07', pricing: { prompt: '0.01', completion: '0.01' } });
    const world = await start();
    const dated = await line(world, 'gpt-5-2025-08-07', 'router');
    expect(dated).toMatchObject({ forSale: false, held: [expect.anything()] });
    const [held] = dated!['held'] as object[];
    const alone = await patch(world, { private: true, adultsOnly: true }, 'gpt-5-2025-08-07');
    expect([alone.status, alone.body.error?.param]).toEqual([400, 'id']);
    const both = await patch(world, { agree: held, adultsOnly: true }, 'gpt-5-2025-08-07');
    expect([both.status, both.body]).toMatchObject([200, { id: 'gpt-5', forSale: true, adultsOnly: true }]);
    expect(await shown(world, 'gpt-5')).toMatchObject({ adultsOnly: true });
  });

  it('and odd facts of a list are exported as a file that a service reads', async () => {
    const at = (id: string) => ({ id, pricing: { prompt: '0.000001', completion: '0.000002' } });
    vendor.sells(
      MODEL,
      {
        ...at('maker/huge'),
        context_length: 9e14,
        top_provider: { max_completion_tokens: 9e13 },
        pricing: {
          prompt: '0.000001',
          completion: '0.000002',
          overrides: Array.from({ length: 12 }, (_, step) => ({
            min_prompt_tokens: 1_000 * (step + 1),
            prompt: `0.0000${10 + step}`,
          })),
        },
      },
      ...Array.from({ length: 60 }, (_, day) => at(`maker/many-2025${String(1000 + day)}`)),
    );
    const world = await start();
    await patch(world, { markup: '4/5', belowCost: true });
    const { body } = await world.get('/v1/admin/models/export', ADMIN);
    const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
    const path = join(folder, 'catalog.json');
    writeFileSync(path, JSON.stringify(body));
    const filed = await start({ CATALOG_FILE: path });
    rmSync(folder, { recursive: true });
    const models = async (of: World) => (await of.get('/v1/agent/models')).body.textModels;
    expect(await models(filed)).toEqual(await models(world));
  });
});
