import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Catalog } from '#models/catalog/catalog';
import type { TextModel } from '#models/catalog/catalog-models';
import { tokensPrice } from '#models/catalog/chat-price-calculator';
import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { catalogOf, textEntry } from '../support/catalogs';
import { ListingVendor } from '../support/listing-vendor';
import { numbersFrom } from '../support/random';
import { World } from '../support/world';

const ADMIN = { authorization: 'Bearer an-admin-token-for-tests', 'content-type': 'application/json' };
const MODEL = 'maker/steps';
const EDGES = [0, 99_999, 199_998, 499_999, 999_998];

const step = (base: string, ...above: (readonly [number, string])[]) => ({
  base,
  above: above.map(([tokens, usd]) => ({ tokens, usd })),
});

describe('an exported CATALOG_FILE', () => {
  const worlds: World[] = [];
  const start = async (env: Readonly<Record<string, string>>): Promise<World> => {
    const world = await World.start({ ALLOW_SANDBOX_MIX: 'true', ...env });
    worlds.push(world);
    return world;
  };
  /** A service with the file that another one exports. */
  const filed = async (world: World, env: Readonly<Record<string, string>> = {}): Promise<World> => {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
    const path = join(folder, 'catalog.json');
    writeFileSync(path, JSON.stringify((await world.get('/v1/admin/models/export', ADMIN)).body));
    try {
      return await start({ ...env, CATALOG_FILE: path });
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const patch = (world: World, id: string, body: object) =>
    world.send({
      method: 'PATCH',
      url: `/v1/admin/models/${encodeURIComponent(id)}`,
      headers: ADMIN,
      payload: JSON.stringify(body),
    });
  const modelOf = (world: World): TextModel => world.app.get(Catalog, { strict: false }).text.get(MODEL)!;

  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.stop();
  });

  it('has only fields that the page for operators names', async () => {
    const vendor = await new ListingVendor().start();
    vendor.sells('claude-opus-5', 'claude-haiku-4-5-20251001');
    const world = await start({
      ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
      ANTHROPIC_BASE_URL: `${vendor.origin}/v1`,
    });
    await world.app.get(VendorLists, { strict: false }).ask();
    const { text } = (await world.get('/v1/admin/models/export', ADMIN)).body as { text: object[] };
    const fields = new Set(text.flatMap((model) => Object.keys(model)));
    expect([...fields]).toEqual(expect.arrayContaining(['markup', 'inputTokensMax']));
    const page = readFileSync('docs/operations/configure/models.md', 'utf8');
    expect([...fields].filter((field) => !new RegExp(`[\`"]${field}\\b`).test(page))).toEqual([]);
    await vendor.stop();
  });

  it('is read although the replacement of one of its models is off', async () => {
    const old = textEntry('old', ['sandbox:chat'], { retiresOn: '2099-01-01', replacedBy: 'new' });
    const world = await start(catalogOf([], [old, textEntry('new', ['sandbox:chat'])]));
    expect((await patch(world, 'new', { forSale: false })).status).toBe(200);
    const { body } = await (await filed(world)).get('/v1/agent/models');
    expect(body.textModels).toMatchObject([{ id: 'old', retiresOn: '2099-01-01' }]);
  });

  it('leads each release of a model to that release, at the same price', async () => {
    const [vendor, other] = [await new ListingVendor().start(), await new ListingVendor().start()];
    const pricing = { prompt: '0.000001', completion: '0.000002' };
    vendor.sells({ id: 'm/a-2407', pricing }, { id: 'm/a-2411', pricing }, { id: 'm/b-2411', pricing });
    other.sells({ id: 'm/a-2411', pricing });
    const env = {
      OPENAI_COMPATIBLE_SERVERS: 'router,other',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      OTHER_BASE_URL: `${other.origin}/v1`,
    };
    const world = await start(env);
    await world.app.get(VendorLists, { strict: false }).ask();
    expect((await patch(world, 'm/a', { markup: '3/2' })).status).toBe(200);
    const read = await filed(world, env);
    const soldIn = ({ app }: World) =>
      ['m/a', 'm/a-2407', 'm/a-2411', 'm/b', 'm/b-2411'].map((name) => {
        const { rates, routes } = app.get(Catalog, { strict: false }).textModel(name);
        const usage = { promptTokens: 1_000, completionTokens: 1_000 };
        return [name, tokensPrice(rates, usage), routes.map(({ provider, model }) => `${provider}:${model}`)];
      });
    expect(soldIn(world)[1]).toEqual(['m/a-2407', 4_500n, ['router:m/a-2407']]);
    expect(soldIn(read)).toEqual(soldIn(world));
    await Promise.all([vendor.stop(), other.stop()]);
  });

  it('has no release that its routes do not have, and leads none to another one', async () => {
    const [vendor, other] = [await new ListingVendor().start(), await new ListingVendor().start()];
    const pricing = { prompt: '0.000001', completion: '0.000002' };
    vendor.sells({ id: 'm/a-2407', pricing }, { id: 'm/a-2411', pricing });
    other.sells({ id: 'm/a-2411', pricing });
    const env = {
      OPENAI_COMPATIBLE_SERVERS: 'router,other',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      OTHER_BASE_URL: `${other.origin}/v1`,
    };
    const world = await start(env);
    await world.app.get(VendorLists, { strict: false }).ask();
    const routes = [{ provider: 'router', model: 'm/a-2411', leftOut: true }];
    expect((await patch(world, 'm/a', { routes })).status).toBe(200);
    const catalog = (await filed(world, env)).app.get(Catalog, { strict: false });
    expect(() => catalog.textModel('m/a-2407')).toThrow(expect.objectContaining({ code: 'UNKNOWN_MODEL' }));
    expect(catalog.textModel('m/a-2411').routes).toMatchObject([{ provider: 'other', model: 'm/a-2411' }]);
    await Promise.all([vendor.stop(), other.stop()]);
  });

  it('is read although a model of a list has the name of a release of an own model', async () => {
    const vendor = await new ListingVendor().start();
    const at = (usd: string) => ({ pricing: { prompt: usd, completion: usd } });
    vendor.sells({ id: 'm/a-2407', ...at('0.000003') }, { id: 'm/a-2411', ...at('0.000001') });
    const env = { OPENAI_COMPATIBLE_SERVERS: 'router', ROUTER_BASE_URL: `${vendor.origin}/v1` };
    const releases = { 'm/a-2407': 'm/a-2407', 'm/a-2411': 'm/a-2411' };
    const own = textEntry('m/a', [], {
      aliases: Object.keys(releases),
      routes: [{ provider: 'router', model: 'm/a-2411', releases }],
    });
    const world = await start({ ...env, ...catalogOf([], [own]), CATALOG: 'auto' });
    await world.app.get(VendorLists, { strict: false }).ask();
    const read = await filed(world, env);
    const soldIn = ({ app }: World) =>
      ['m/a', 'm/a-2411', 'm/a-2407'].map((name) => {
        const { id, routes } = app.get(Catalog, { strict: false }).textModel(name);
        return [id, routes.map(({ model }) => model)];
      });
    expect(soldIn(world)).toEqual([
      ['m/a', ['m/a-2411']],
      ['m/a', ['m/a-2411']],
      ['m/a-2407', ['m/a-2407']],
    ]);
    expect(soldIn(read)).toEqual(soldIn(world));
    await vendor.stop();
  });

  it("has an operator's prices with steps, equal for any usage, and never below the cost", async () => {
    const vendor = await new ListingVendor().start();
    vendor.sells({
      id: MODEL,
      pricing: {
        prompt: '0.000001',
        completion: '0.000002',
        input_cache_read: '0.0000001',
        input_cache_write: '0.00000125',
        input_cache_write_1h: '0.000002',
        audio: '0.000003',
        overrides: [
          { min_prompt_tokens: 200_000, prompt: '0.000004', input_cache_write: '0.000005' },
          { min_prompt_tokens: 1_000_000, completion: '0.000009' },
        ],
      },
    });
    const env = { OPENAI_COMPATIBLE_SERVERS: 'router', ROUTER_BASE_URL: `${vendor.origin}/v1` };
    const world = await start(env);
    await world.app.get(VendorLists, { strict: false }).ask();
    const rates = {
      inputUsdPerMtok: step('1.5', [100_000, '5'], [500_000, '4.5']),
      outputUsdPerMtok: step('2', [199_999, '7'], [999_999, '9.5']),
      cacheReadUsdPerMtok: step('0.2', [100_000, '4']),
      inputImageUsdPerMtok: step('2', [100_000, '5']),
    };
    expect((await patch(world, MODEL, { rates })).status).toBe(200);
    const [sold, read] = [modelOf(world), modelOf(await filed(world, env))];
    expect([sold.inputTokensMax, read.inputTokensMax]).toEqual([1_000_000, 1_000_000]);
    const cost = sold.routes[0]!.prices!;
    const random = numbersFrom(47);
    const upTo = (most: number): number => Math.floor(random() * (most + 1));
    const wrong = Array.from({ length: 100_000 }, () => {
      const promptTokens = upTo(1) === 1 ? EDGES[upTo(4)]! + upTo(3) : upTo(2_000_000);
      return {
        promptTokens,
        completionTokens: upTo(9_000),
        cacheReadTokens: upTo(promptTokens),
        cacheWriteTokens: upTo(promptTokens),
        cacheWrite1hTokens: upTo(1_000),
        inputAudioTokens: upTo(2) === 0 ? upTo(1_000) : 0,
        inputImageTokens: upTo(2) === 0 ? upTo(1_000) : 0,
      };
    }).filter((usage) => {
      const price = tokensPrice(sold.rates, usage);
      return price !== tokensPrice(read.rates, usage) || price < tokensPrice(cost, usage);
    });
    expect(wrong).toEqual([]);
    await vendor.stop();
  });
});
