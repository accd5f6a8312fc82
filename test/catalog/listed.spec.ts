import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Catalog } from '#models/catalog/catalog';
import { VendorListRepository } from '#models/catalog/listed/vendor-list.repository';
import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { ListingVendor } from '../support/listing-vendor';
import { cloneDatabase } from '../support/postgres';
import { captureLog } from '../support/log-lines';
import { World } from '../support/world';

describe('the models that a vendor lists', () => {
  let vendor: ListingVendor;
  const worlds: World[] = [];
  let database: string;

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<World> => {
    const world = await World.start({
      ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
      ANTHROPIC_BASE_URL: `${vendor.origin}/v1`,
      ALLOW_SANDBOX_MIX: 'true',
      DATABASE_URL: database,
      ...env,
    });
    worlds.push(world);
    return world;
  };
  const ask = (world: World) => world.app.get(VendorLists, { strict: false }).ask();
  const textModels = async (world: World) =>
    (await world.get('/v1/agent/models')).body.textModels as {
      id: string;
      aliases?: string[];
      inputUsdPerMtok: string;
    }[];
  const ids = async (world: World) => (await textModels(world)).map(({ id }) => id);
  const balance = async (world: World, { key }: KeyCaller): Promise<number> =>
    (await world.get('/v1/agent/balance', { 'x-api-key': key })).body.balanceMicro as number;
  const chat = (world: World, caller: KeyCaller, model: string) =>
    world.post(
      '/v1/chat/completions',
      { model, max_tokens: 200, messages: [{ role: 'user', content: 'Hi' }] },
      { 'x-api-key': caller.key },
    );

  beforeEach(async () => {
    vendor = await new ListingVendor().start();
    database = await cloneDatabase();
  });
  afterEach(async () => {
    for (const world of worlds.splice(0)) {
      await world.expectBooksToBalance();
      await world.stop();
    }
    await vendor.stop();
  });

  it('reach the vendor under the name of the release that a call names, in each API', async () => {
    const prices = { pricing: { prompt: '0.000001', completion: '0.000002' } };
    vendor.sells({ id: 'm/a-2407', ...prices }, { id: 'm/a-2411', ...prices });
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      ANTHROPIC_API_KEY: '',
    });
    const caller = await KeyCaller.register(world, 1_000_000n);
    await expectEventually(async () => (await ids(world)).includes('m/a'));

    const messages = [{ role: 'user', content: 'Hi' }];
    for (const name of ['m/a-2407', 'm/a-2411', 'm/a']) {
      expect((await chat(world, caller, name)).body).toMatchObject({ model: name });
      await world.post('/v1/agent/chat', { model: name, messages }, { 'x-api-key': caller.key });
      await world.post(
        '/v1/messages',
        { model: name, max_tokens: 200, messages },
        { 'x-api-key': caller.key },
      );
    }
    expect(vendor.asked).toEqual(['m/a-2407', 'm/a-2411', 'm/a-2411'].flatMap((name) => [name, name, name]));
    expect(await world.db.rows('select distinct model_id as model from charge')).toEqual([{ model: 'm/a' }]);

    const again = () =>
      world.post(
        '/v1/chat/completions',
        { model: 'm/a-2407', max_tokens: 200, messages },
        { 'x-api-key': caller.key, 'idempotency-key': 'before-it-was-gone' },
      );
    const first = await again();
    vendor.sells({ id: 'm/a-2411', ...prices });
    await ask(world);
    expect(await again()).toMatchObject({ status: 200, body: first.body });
    const gone = await chat(world, caller, 'm/a-2407');
    expect([gone.status, gone.body.error.code]).toEqual([410, 'MODEL_RETIRED']);
    expect(gone.body.error.message).toContain('m/a');
    expect((await chat(world, caller, 'm/a-2411')).status).toBe(200);
  });

  it('answer paid calls again after the price rose above the limit of the call, and refuse new ones', async () => {
    const at = (usd: string) => ({ id: 'm/a', pricing: { prompt: usd, completion: usd } });
    vendor.sells(at('0.000001'));
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      ANTHROPIC_API_KEY: '',
    });
    const caller = await KeyCaller.register(world, 1_000_000n);
    await expectEventually(async () => (await ids(world)).includes('m/a'));
    const body = { model: 'm/a', max_tokens: 200, messages: [{ role: 'user', content: 'Hi' }] };
    for (const path of ['/v1/chat/completions', '/v1/agent/chat']) {
      const key = { 'x-api-key': caller.key };
      const { priceMicro } = (await world.post(`/v1/agent/quote?path=${path}`, body, key)).body;
      const limited = { ...key, 'x-max-price-micro': String(priceMicro) };
      const marked = { ...limited, 'idempotency-key': `before the rise ${path}` };
      const paid = await world.post(path, body, marked);
      expect(paid.status).toBe(200);
      vendor.sells(at('0.000005'));
      await ask(world);
      expect(await world.post(path, body, marked)).toMatchObject({ status: 200, body: paid.body });
      for (const more of [{}, { dryRun: true }]) {
        const refused = await world.post(path, { ...body, ...more }, limited);
        expect([refused.status, refused.body.error?.code]).toEqual([400, 'PRICE_ABOVE_MAX']);
      }
      vendor.sells(at('0.000001'));
      await ask(world);
    }
  });

  it('answer paid calls of a release again to a key that is for the model only, after the release is gone', async () => {
    const prices = { pricing: { prompt: '0.000001', completion: '0.000002' } };
    vendor.sells({ id: 'm/a-2407', ...prices }, { id: 'm/a-2411', ...prices });
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      ANTHROPIC_API_KEY: '',
    });
    const caller = await KeyCaller.register(world, 1_000_000n);
    await expectEventually(async () => (await ids(world)).includes('m/a'));
    await world.db.rows(`update api_key set scopes = '{"models":["m/a"]}'::jsonb`);
    const body = { model: 'm/a-2407', max_tokens: 200, messages: [{ role: 'user', content: 'Hi' }] };
    const key = { 'x-api-key': caller.key, 'idempotency-key': 'of-a-key-for-one-model' };
    const paid = await world.post('/v1/chat/completions', body, key);
    expect(paid.status).toBe(200);
    vendor.sells({ id: 'm/a-2411', ...prices });
    await ask(world);
    expect(await world.post('/v1/chat/completions', body, key)).toMatchObject({
      status: 200,
      body: paid.body,
    });
    expect((await chat(world, caller, 'm/a-2407')).body.error.code).toBe('MODEL_RETIRED');
    expect((await chat(world, caller, 'm/b-2407')).body.error.code).toBe('UNKNOWN_MODEL');
    const other = await KeyCaller.register(world, 1_000_000n);
    await world.db.rows(`update api_key set scopes = '{"models":["other"]}'::jsonb where scopes is null`);
    for (const model of ['m/a', 'm/a-2407', 'm/a-2411'])
      expect((await chat(world, other, model)).body.error.code).toBe('KEY_SCOPE');
  });

  it('refuse a release whose only vendor is off in each API, before anybody pays, and never send it elsewhere', async () => {
    const other = await new ListingVendor().start();
    const prices = { pricing: { prompt: '0.000001', completion: '0.000002' } };
    vendor.sells({ id: 'm/a-2407', ...prices }, { id: 'm/a-2411', ...prices });
    other.sells({ id: 'm/a-2411', ...prices });
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router,other',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      OTHER_BASE_URL: `${other.origin}/v1`,
      ANTHROPIC_API_KEY: '',
    });
    const caller = await KeyCaller.register(world, 1_000_000n);
    const catalog = world.app.get(Catalog, { strict: false });
    await expectEventually(async () => catalog.text.get('m/a')?.routes.length === 2);
    const key = { 'x-api-key': caller.key };
    const repeated = { ...key, 'idempotency-key': 'while-the-vendor-was-on' };
    const body = { model: 'm/a-2407', max_tokens: 200, messages: [{ role: 'user', content: 'Hi' }] };
    const first = await world.post('/v1/chat/completions', body, repeated);
    expect(first.status).toBe(200);
    const paid = await balance(world, caller);

    catalog.sellWithout({ models: new Set(), providers: new Set(['router'] as never) });
    const answers = [
      await world.post('/v1/chat/completions', body, key),
      await world.post('/v1/messages', body, key),
      await world.post('/v1/agent/chat', body, key),
      await world.post('/v1/agent/chat', { ...body, dryRun: true }, key),
      await world.post('/v1/agent/chat', body),
      await world.post('/v1/agent/quote', { modelId: body.model, messages: body.messages }),
      await world.post('/v1/messages/count_tokens', { model: body.model, messages: body.messages }, key),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
    expect(answers[0]!.body.error.message).toContain('m/a-2407 is not sold');
    const shown = [
      await world.get('/v1/models/m%2Fa-2407'),
      await world.get('/v1/models/m%2Fa-2407', { 'anthropic-version': '2023-06-01' }),
      await world.get('/v1beta/models/m%2Fa-2407'),
    ];
    expect(shown.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(shown[0]!.body.error.message).toContain('m/a-2407 is not sold');
    expect((await world.get('/v1/models/m%2Fa-2411')).status).toBe(200);
    expect([await balance(world, caller), other.asked]).toEqual([paid, []]);
    expect(await world.post('/v1/chat/completions', body, repeated)).toMatchObject({
      status: 200,
      body: first.body,
    });
    expect((await chat(world, caller, 'm/a')).status).toBe(200);
    expect(other.asked).toEqual(['m/a-2411']);
    await other.stop();
  });

  it('are for sale soon after a start with only a key, and the first paid call is charged at the price of the book', async () => {
    vendor.sells('claude-opus-5', 'claude-haiku-4-5-20251001');
    const world = await start();
    const started = performance.now();
    const caller = await KeyCaller.register(world, 1_000_000n);
    await expectEventually(async () => (await ids(world)).includes('claude-haiku-4-5'));

    expect(performance.now() - started).toBeLessThan(5_000);

    expect((await textModels(world)).filter(({ id }) => id.startsWith('claude'))).toMatchObject([
      { aliases: ['claude-haiku-4-5-20251001'], inputUsdPerMtok: '1.25' },
      { id: 'claude-opus-5', inputUsdPerMtok: '6.25' },
    ]);
    const before = await balance(world, caller);
    const { status, body } = await chat(world, caller, 'claude-haiku-4-5-20251001');
    expect([status, body.model]).toEqual([200, 'claude-haiku-4-5-20251001']);
    expect(vendor.asked).toEqual(['claude-haiku-4-5-20251001']);
    // 21 tokens for $1 a million and 100 for $5, times 5/4: 651.25.
    expect(before - (await balance(world, caller))).toBe(652);
  });

  it('stay while the vendor is away, answers an error with 200, or has no end, also over a start', async () => {
    vendor.sells('claude-opus-5');
    const world = await start();
    expect(await ask(world)).toEqual([]);
    for (const list of [
      () => ({ type: 'error', error: { type: 'overloaded_error' } }),
      () => ({ data: [] }),
      () => ({ data: [{ id: 'claude-opus-5' }], has_more: true, last_id: 'x' }),
      () => 'nothing',
    ]) {
      vendor.list = list;
      expect(await ask(world)).toHaveLength(1);
      expect(await ids(world)).toContain('claude-opus-5');
    }
    vendor.status = 500;
    const next = await start();
    expect(await ids(next)).toContain('claude-opus-5');
  });

  it('are the same in all processes, and retire in words when they leave the list', async () => {
    vendor.sells('claude-opus-5', 'claude-sonnet-4-6');
    const [world, other] = [await start(), await start()];
    const caller = await KeyCaller.register(world, 1_000_000n);
    await ask(world);
    await expectEventually(async () => (await ids(other)).includes('claude-sonnet-4-6'));

    vendor.sells('claude-opus-5');
    await ask(world);
    await expectEventually(async () => !(await ids(other)).includes('claude-sonnet-4-6'));
    const before = await balance(world, caller);
    const { status, body } = await chat(other, caller, 'claude-sonnet-4-6');
    expect([status, body.error.code]).toEqual([410, 'MODEL_RETIRED']);
    expect(body.error.message).toMatch(/^claude-sonnet-4-6 retired on \d{4}-\d\d-\d\d\. /);
    expect(await balance(world, caller)).toBe(before);
    // Nothing was held either, and nobody is asked to pay for it.
    expect(await world.db.rows('select from charge')).toEqual([]);
    const quote = await world.post('/v1/agent/quote', { modelId: 'claude-sonnet-4-6' });
    const messages = [{ role: 'user', content: 'Hi' }];
    const unpaid = await world.post('/v1/agent/chat', { model: 'claude-sonnet-4-6', messages });
    expect([quote.status, unpaid.status]).toEqual([410, 410]);
    for (const [path, headers] of [
      ['/v1/models/claude-sonnet-4-6', {}],
      ['/v1/models/claude-sonnet-4-6', { 'anthropic-version': '2023-06-01' }],
      ['/v1beta/models/claude-sonnet-4-6', {}],
    ] as const) {
      const found = await world.get(path, headers);
      expect([found.status, found.body.error.code]).toEqual([404, 'MODEL_RETIRED']);
      expect(found.body.error.message).toMatch(/^claude-sonnet-4-6 retired on \d{4}-\d\d-\d\d\. GET/);
    }
    vendor.sells('claude-opus-5', 'claude-sonnet-4-6');
    await ask(world);
    expect(await ids(world)).toContain('claude-sonnet-4-6');
    world.app
      .get(Catalog, { strict: false })
      .sellWithout({ models: new Set(['claude-opus-5']), providers: new Set() });
    const off = await world.get('/v1/models/claude-opus-5');
    expect([off.status, off.body.error]).toMatchObject([
      404,
      {
        code: 'NOT_OFFERED',
        message: expect.stringMatching(/^claude-opus-5 is not sold at the moment\. GET/),
      },
    ]);
    expect((await world.get('/v1/models/claude-opus-0')).body.error.code).toBe('UNKNOWN_MODEL');
  });

  it('are refused under the names that a pattern leaves out, also if an own model has such an alias', async () => {
    vendor.sells('claude-opus-5', 'claude-sonnet-4-5-20250929', 'claude-sonnet-5');
    const world = await start({ CATALOG_WITHOUT: '*/*sonnet*' });
    const caller = await KeyCaller.register(world, 1_000_000n);
    expect(await ask(world)).toEqual([]);
    expect(await ids(world)).toContain('lumen-frontier');
    const listed = (await world.get('/v1/models')).body.data.map(({ id }: { id: string }) => id);
    const headers = { 'x-api-key': caller.key };
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
    for (const name of ['claude-sonnet-5', 'claude-sonnet-4-5', 'claude-sonnet-4-5-20250929']) {
      expect(listed).not.toContain(name);
      const call = { model: name, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
      const calls = [
        ['/v1/chat/completions', call],
        ['/v1/messages', call],
        ['/v1/agent/chat', call],
        ['/v1/responses', { model: name, input: 'Hi' }],
        [`/v1beta/models/${name}:generateContent`, { contents }],
        ['/v1/agent/quote', { modelId: name }],
      ] as const;
      for (const [path, body] of calls) {
        const { status, body: answer } = await world.post(path, body, headers);
        expect([path, status, JSON.stringify(answer)]).toEqual([
          path,
          503,
          expect.stringContaining(`${name} is not sold at the moment`),
        ]);
      }
      for (const path of [`/v1/models/${name}`, `/v1beta/models/${name}`])
        expect((await world.get(path)).body.error).toMatchObject({ code: 'NOT_OFFERED' });
    }
    expect(vendor.asked).toEqual([]);
    expect(await balance(world, caller)).toBe(1_000_000);
  });

  it('are refused under names that have no price, also if an own model has such an alias', async () => {
    const [name, unknown] = ['claude-sonnet-5', 'odd-embedder-1x'];
    vendor.sells(
      { id: 'maker/model-a', pricing: { prompt: '0.000001', completion: '0.000001' } },
      name,
      unknown,
    );
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/v1',
    });
    const caller = await KeyCaller.register(world, 1_000_000n);
    expect((await chat(world, caller, name)).body.model ?? name).toBe(name);
    await ask(world);
    const { status, body } = await chat(world, caller, name);
    expect([status, body.error.code]).toEqual([503, 'NOT_OFFERED']);
    const listed = (await world.get('/v1/models')).body.data.map(({ id }: { id: string }) => id);
    expect(listed).not.toContain(name);
    expect((await chat(world, caller, unknown)).body.error.code).toBe('UNKNOWN_MODEL');
    expect(vendor.asked).toEqual([]);
  });

  it('are for sale soon, though the reading after the change fails once', async () => {
    vendor.sells('claude-opus-5');
    const [world, other] = [await start(), await start()];
    await ask(world);
    vendor.sells('claude-opus-5', 'claude-sonnet-4-6');
    const lists = world.app.get(VendorListRepository, { strict: false });
    const store = lists.store.bind(lists);
    jest.spyOn(lists, 'store').mockImplementationOnce(async (...args) => {
      const isNew = await store(...args);
      jest.spyOn(lists, 'all').mockRejectedValueOnce(new Error('The database is away.'));
      return isNew;
    });
    await ask(world).catch(() => undefined);
    await expectEventually(async () => (await ids(other)).includes('claude-sonnet-4-6'));
    await ask(world);
    expect(await ids(world)).toContain('claude-sonnet-4-6');
  });

  it('are not written again while the list stays, and are asked for soon after the next start', async () => {
    vendor.sells('claude-opus-5');
    const world = await start();
    await ask(world);
    const store = jest.spyOn(world.app.get(VendorListRepository, { strict: false }), 'store');
    const readAt = async () => (await world.app.get(VendorLists, { strict: false }).all())[0]!.readAt;
    const before = await readAt();
    await ask(world);
    expect(store).not.toHaveBeenCalled();
    expect((await readAt()).getTime()).toBeGreaterThan(before.getTime());

    vendor.sells('claude-opus-5', 'claude-sonnet-4-6');
    const next = await start();
    expect(await ids(next)).toContain('claude-opus-5');
    await expectEventually(async () => (await ids(next)).includes('claude-sonnet-4-6'));
  });

  it('are asked for once an hour, though another vendor is away', async () => {
    vendor.status = 500;
    const present = await new ListingVendor().start();
    present.sells({ id: 'maker/model-a', pricing: { prompt: '0.000001', completion: '0.000002' } });
    await start({ OPENAI_COMPATIBLE_SERVERS: 'router', ROUTER_BASE_URL: `${present.origin}/v1` });
    await expectEventually(() => vendor.listings >= 4);
    expect(present.listings).toBe(1);
    await present.stop();
  });

  it('do not delay the end of a process while a vendor lists them slowly', async () => {
    const slow = createServer((_, response) => void response.write('{'));
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    const { port } = slow.address() as AddressInfo;
    const other = await start({ CATALOG: 'retail' });
    const asked = once(slow, 'request');
    const world = await start({ ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/v1` });
    await asked;
    worlds.pop();
    const begun = performance.now();
    await world.stop();
    expect(performance.now() - begun).toBeLessThan(10_000);
    // The vendor is not to blame.
    expect(await other.db.rows('select problem from vendor_list')).toEqual([]);
    slow.closeAllConnections();
    slow.close();
  });

  it('have names that can be written, each once, however long the list is', async () => {
    const prices = { prompt: '0.000001', completion: '0.000002' };
    const named = (id: unknown) => ({ id, pricing: prices });
    const odd = ['two words', 'a\u202eb', '/lead', 'tab\t', '', 'x'.repeat(200), 7, null];
    const good = ['maker/model-a', 'maker/model-a', 'maker/model:free'];
    const many = Array.from({ length: 10_000 }, (_, at) => ({ id: `unpriced-${at}x` }));
    const unstorable = ['a\0b', 'a\ud800b'].map((name, at) => ({ ...named(`maker/odd-${at}x`), name }));
    vendor.sells(...[...odd, ...good].map(named), ...unstorable, ...many);
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      CATALOG_ONLY: 'router/*',
    });
    const caller = await KeyCaller.register(world, 1_000_000n);
    expect(await ask(world)).toEqual([]);
    const listed = (await ids(world)).filter((id) => !id.startsWith('lumen'));
    expect(listed).toEqual(['maker/model-a', 'maker/model:free']);
    expect((await world.get(`/v1/models/${encodeURIComponent('maker/model-a')}`)).body.id).toBe(
      'maker/model-a',
    );
    expect((await chat(world, caller, 'maker/model-a')).status).toBe(200);
  });

  it('make the log name patterns that match none of their models', async () => {
    vendor.sells({ id: 'maker/model-a', pricing: { prompt: '0.000001', completion: '0.000002' } });
    vendor.status = 503; // The start also asks, and reports nothing without a list.
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      CATALOG_ONLY: 'router/*, ruoter/*',
      CATALOG_WITHOUT: 'router/maker/model-b*',
    });
    const { lines } = captureLog(world);
    vendor.status = 200;
    expect(await ask(world)).toEqual([]);
    expect(await ask(world)).toEqual([]);
    const reported = lines.filter((line) => line.includes('no vendor lists a model like'));
    expect(reported.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'CATALOG_ONLY or CATALOG_WITHOUT: no vendor lists a model like ruoter/*',
      'CATALOG_ONLY or CATALOG_WITHOUT: no vendor lists a model like router/maker/model-b*',
    ]);
  });
});
