import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DATA_CHECKS } from '#faces/doctor/data-checks';
import { OUTSIDE_CHECKS } from '#faces/doctor/outside-checks';
import { ModelChoiceRepository } from '#models/catalog/choices/model-choice.repository';
import { VendorListRepository } from '#models/catalog/listed/vendor-list.repository';
import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { takeOwnerLock } from '#platform/database/owner-lock';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { ListingVendor } from '../support/listing-vendor';
import { captureLog } from '../support/log-lines';
import { cloneDatabase } from '../support/postgres';
import { forgetRoutes } from '../support/routes';
import { type Answer, World } from '../support/world';

const ADMIN = { authorization: 'Bearer an-admin-token-for-tests' };
const MODEL = 'claude-opus-5';

interface Line {
  readonly id: string;
  readonly forSale: boolean;
  readonly why?: string;
  readonly [name: string]: unknown;
}

describe('the models of an operator', () => {
  let vendor: ListingVendor;
  let database: string;
  const worlds: World[] = [];

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<World> => {
    const world = await World.start({
      ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
      ANTHROPIC_BASE_URL: `${vendor.origin}/v1`,
      OPENAI_COMPATIBLE_SERVERS: 'router',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      CATALOG_WITHOUT: 'router/claude*,*/gpt-9',
      ALLOW_SANDBOX_MIX: 'true',
      DATABASE_URL: database,
      ...env,
    });
    worlds.push(world);
    await world.app.get(VendorLists, { strict: false }).ask();
    return world;
  };
  const lines = async (world: World): Promise<Line[]> =>
    (await world.get('/v1/admin/models', ADMIN)).body.models as Line[];
  const line = async (world: World, id = MODEL, at = 'anthropic'): Promise<Line> =>
    (await lines(world)).find((each) => each.id === id && each['vendor'] === at)!;
  const patch = (world: World, body: object, id = MODEL, headers = ADMIN): Promise<Answer> =>
    world.send({
      method: 'PATCH',
      url: `/v1/admin/models/${encodeURIComponent(id)}`,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
  const shown = async (world: World, id = MODEL) =>
    ((await world.get('/v1/agent/models')).body.textModels as { id: string; inputUsdPerMtok: string }[]).find(
      (each) => each.id === id,
    );
  const lists = async (world: World) =>
    (await world.get('/v1/admin/models', ADMIN)).body.lists as Record<string, unknown>[];
  const doctor = (world: World) => DATA_CHECKS['model prices']!(world.settings);
  const audited = async (world: World) =>
    (await world.get('/v1/admin/audit?limit=50', ADMIN)).body.entries as Record<string, unknown>[];

  beforeEach(async () => {
    vendor = await new ListingVendor().start();
    database = await cloneDatabase();
    vendor.sells(MODEL, 'claude-sonnet-4-6', 'unpriced-1x', {
      id: 'maker/model-a',
      pricing: { prompt: '0.000001', completion: '0.000002' },
    });
  });
  afterEach(async () => {
    for (const world of worlds.splice(0)) {
      await world.expectBooksToBalance();
      await world.stop();
    }
    await vendor.stop();
  });

  it('change many at once, and a refused one stops no other', async () => {
    const world = await start();
    const ids = Array.from({ length: 100 }, (_, at) => `maker/model-${at + 100}x`);
    const pricing = { prompt: '0.000001', completion: '0.000002' };
    vendor.sells(MODEL, ...ids.map((id) => ({ id, pricing })));
    await world.app.get(VendorLists, { strict: false }).ask();
    const statements = jest.spyOn(world.app.get(ModelChoiceRepository, { strict: false }), 'all');

    const { status, body } = await world.send({
      method: 'PATCH',
      url: '/v1/admin/models',
      headers: { ...ADMIN, 'content-type': 'application/json' },
      payload: JSON.stringify({
        ids: [...ids, 'lumen-frontier', 'nonsense'],
        markup: '2/1',
        reason: 'dearer',
      }),
    });

    expect(status).toBe(200);
    expect(body.problems).toEqual([
      { id: 'lumen-frontier', message: expect.stringContaining('the rates of the catalog') as unknown },
      { id: 'nonsense', message: expect.stringContaining('no such model') as unknown },
    ]);
    expect((body.models as Line[]).map(({ id }) => id)).toEqual(ids);
    expect(await shown(world, ids[99])).toMatchObject({ inputUsdPerMtok: '2.00' });
    expect(await audited(world)).toHaveLength(50);
    // The catalog is not computed for each model.
    expect(statements.mock.calls.length).toBeLessThan(10);
    const none = await world.send({
      method: 'PATCH',
      url: '/v1/admin/models',
      headers: { ...ADMIN, 'content-type': 'application/json' },
      payload: JSON.stringify({ ids: [], markup: '2/1' }),
    });
    expect(none.status).toBe(400);
  });

  it('are all in the answer of one call that undoes their agreements, also under another name', async () => {
    const at = (prompt: string) => ({
      id: 'maker/model-a-20250101',
      pricing: { prompt, completion: prompt },
    });
    vendor.sells(at('0.000001'));
    const world = await start();
    vendor.sells(at('0.0001'));
    await world.app.get(VendorLists, { strict: false }).ask();
    const many = async (body: object) => {
      const headers = { ...ADMIN, 'content-type': 'application/json' };
      const payload = JSON.stringify(body);
      const answer = await world.send({ method: 'PATCH', url: '/v1/admin/models', headers, payload });
      return (answer.body.models as Line[]).map(({ id, forSale }) => [id, forSale]);
    };
    const { id, held } = await line(world, 'maker/model-a-20250101', 'router');
    const [agree] = held as [object];
    expect(await many({ ids: [id], agree })).toEqual([['maker/model-a', true]]);
    expect(await many({ ids: ['maker/model-a'], agree: null })).toEqual([[id, false]]);
  });

  it('have cost, price, routes, and the reason why they are not for sale', async () => {
    const world = await start();
    expect(await line(world)).toMatchObject({
      vendor: 'anthropic',
      kind: 'text',
      isListed: true,
      forSale: true,
      unit: 'million tokens',
      cost: { inputUsdPerMtok: '5.000000', outputUsdPerMtok: '25.000000' },
      price: { inputUsdPerMtok: '6.250000', outputUsdPerMtok: '31.250000' },
      routes: [{ provider: 'anthropic', model: MODEL }],
      private: false,
      adultsOnly: false,
      held: [],
      changes: {},
    });
    expect(await line(world, 'unpriced-1x', 'router')).toMatchObject({
      forSale: false,
      why: 'its server lists no price, so only a CATALOG_FILE can sell it',
    });
    const { body } = await world.get('/v1/admin/models', ADMIN);
    expect(body.lists).toMatchObject([
      { vendor: 'anthropic', models: 4, missing: 0 },
      { vendor: 'router', models: 4, missing: 0 },
    ]);
    expect((await patch(world, { forSale: false }, 'nonsense')).status).toBe(404);
    expect((await world.get('/v1/admin/models')).status).toBe(401);
  });

  it.each(['maker/model-a', 'maker%2Fmodel-a'])(
    'are found and called by the name %s in all shapes',
    async (name) => {
      const world = await start();
      const id = 'maker/model-a';
      const anthropic = { 'anthropic-version': '2023-06-01' };
      expect((await world.get(`/v1/models/${name}`)).body).toMatchObject({ id, object: 'model' });
      expect((await world.get(`/v1/models/${name}`, anthropic)).body).toMatchObject({ id, type: 'model' });
      expect((await world.get(`/v1beta/models/${name}`)).body).toMatchObject({ name: `models/${id}` });
      const { key } = await KeyCaller.register(world, 1_000_000n);
      const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
      for (const [call, expected] of [
        ['generateContent', { modelVersion: id }],
        ['countTokens', { totalTokens: expect.any(Number) }],
      ] as const) {
        const made = await world.post(
          `/v1beta/models/${name}:${call}`,
          { contents },
          { 'x-goog-api-key': key },
        );
        expect([made.status, made.body]).toMatchObject([200, expected]);
      }
    },
  );

  it('are missed in the shape of the caller', async () => {
    const world = await start();
    const anthropic = { 'anthropic-version': '2023-06-01' };
    const [own, messages, content] = [
      await world.get('/v1/models/maker/none'),
      await world.get('/v1/models/maker/none', anthropic),
      await world.get('/v1beta/models/maker/none'),
    ];
    for (const { status, body } of [own, messages, content])
      expect([status, body.error.code]).toEqual([404, 'UNKNOWN_MODEL']);
    expect([own.body.type, messages.body.type]).toEqual([undefined, 'error']);
    expect([own.body.error.status, content.body.error.status]).toEqual([undefined, 'NOT_FOUND']);
  });

  it('say why a name without a date is not for sale if other vendors have several releases of it', async () => {
    const models = (...ids: string[]) =>
      ids.map((id) => ({ id, pricing: { prompt: '0.000001', completion: '0.000002' } }));
    vendor.sells(MODEL, ...models('m-20250101'));
    const [second, third] = [await new ListingVendor().start(), await new ListingVendor().start()];
    second.sells(...models('m-20250202'));
    third.sells(...models('m'));
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router,second,third',
      SECOND_BASE_URL: `${second.origin}/v1`,
      THIRD_BASE_URL: `${third.origin}/v1`,
    });
    expect(await line(world, 'm', 'router')).toMatchObject({
      forSale: true,
      routes: [{ provider: 'router' }],
    });
    expect(await line(world, 'm-20250202', 'second')).toMatchObject({ forSale: true });
    expect((await line(world, 'm', 'third')).why).toMatch(/several releases/);
    await Promise.all([second.stop(), third.stop()]);
  });

  it.each([
    [{ markUp: '3/1' }, 'markUp is not a field of this. Did you mean markup?'],
    [{ price: 3 }, 'price is not a field of this.'],
    [{ adultOnly: true, reason: 'x' }, 'adultOnly is not a field of this. Did you mean adultsOnly?'],
  ])('refuse an unknown field: %j', async (body, message) => {
    const world = await start();
    const answer = await patch(world, body);
    expect([answer.status, answer.body.error.message]).toEqual([400, message]);
    expect((await line(world))['changes']).toEqual({});
    expect((await audited(world)).filter(({ action }) => action === 'change_model')).toEqual([]);
  });

  it('lose unknown changes that an earlier release stored with the next change', async () => {
    const world = await start();
    await world.db.rows(
      `insert into model_choice (model_id, changes) values ($1, '{"markUp": "3/1", "price": 3, "private": true}')`,
      [MODEL],
    );
    expect((await patch(world, { adultsOnly: true })).status).toBe(200);
    expect((await line(world))['changes']).toEqual({ adultsOnly: true, private: true });
    const stored = await world.db.rows('select changes from model_choice');
    expect(stored).toEqual([{ changes: { adultsOnly: true, private: true } }]);
  });

  it('are not for sale under a name with spaces or marks of direction, which is shown without them', async () => {
    const pricing = { prompt: '0.000001', completion: '0.000002' };
    const data = ['an odd name', 'rtl\u202egpt', 'maker/model-a'].map((id) => ({ id, pricing }));
    vendor.list = () => ({ data: [...data, 'bare-1x', null, 7], has_more: false });
    const world = await start({ CATALOG_WITHOUT: 'anthropic/*' });
    const ids = (await lines(world)).filter((each) => each['vendor'] === 'router').map(({ id }) => id);
    expect(ids.toSorted()).toEqual(['an odd name', 'maker/model-a', 'rtl\\u{202e}gpt']);
    for (const id of ['an odd name', 'rtl\\u{202e}gpt'])
      expect(await line(world, id, 'router')).toMatchObject({
        forSale: false,
        why: 'its name has spaces, or other characters that are not sold',
      });
    expect((await OUTSIDE_CHECKS['models']!(world.settings)).text).toContain('an odd name');
  });

  it('have no name with controls or marks of direction, also if they are not for sale', async () => {
    vendor.sells(
      MODEL,
      { id: 'unpriced-1x', name: 'Free\u009b2J\u202e' },
      { id: 'unpriced-2x', name: 'x'.repeat(500) },
    );
    const world = await start();
    const named = (id: string) => line(world, id, 'router');
    expect(await named('unpriced-1x')).toMatchObject({ name: 'unpriced-1x' });
    expect(await named('unpriced-2x')).toMatchObject({ name: 'unpriced-2x' });
  });

  it('change in all processes at once, with an audit, and a null undoes each change', async () => {
    const [world, other] = [await start(), await start()];
    const caller = await KeyCaller.register(world, 1_000_000n);
    const price = async (of: World) => (await shown(of))?.inputUsdPerMtok;
    expect(await price(other)).toBe('6.25');

    const changed = await patch(world, {
      markup: '2/1',
      adultsOnly: true,
      private: true,
      reason: 'Too cheap',
    });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      {
        price: { inputUsdPerMtok: '10.000000' },
        adultsOnly: true,
        private: true,
        changes: { markup: '2/1', adultsOnly: true, private: true },
      },
    ]);
    expect(await price(world)).toBe('10.00');
    await expectEventually(async () => (await price(other)) === '10.00');
    expect(await shown(other)).toMatchObject({ adultsOnly: true, private: true });
    expect((await audited(world))[0]).toMatchObject({
      action: 'change_model',
      subject: `model ${MODEL}`,
      operator: 'admin',
      reason: 'Too cheap — price: the cost and 100 %. private: yes. adults only: yes',
    });

    // The default is no change.
    expect((await patch(world, { private: false })).body.changes).toEqual({
      markup: '2/1',
      adultsOnly: true,
    });
    const undone = await patch(world, { markup: null, adultsOnly: null, private: null });
    expect(undone.body).toMatchObject({ adultsOnly: false, private: false, changes: {} });
    await expectEventually(async () => (await price(other)) === '6.25');

    const own = {
      inputUsdPerMtok: '7',
      outputUsdPerMtok: { base: '30', above: [{ tokens: 1000, usd: '40' }] },
    };
    expect((await patch(world, { rates: own })).status).toBe(200);
    const before = await world.get('/v1/agent/balance', { 'x-api-key': caller.key });
    const chat = await world.post(
      '/v1/chat/completions',
      { model: MODEL, max_tokens: 200, messages: [{ role: 'user', content: 'Hi' }] },
      { 'x-api-key': caller.key },
    );
    expect(chat.status).toBe(200);
    const after = await world.get('/v1/agent/balance', { 'x-api-key': caller.key });
    // 21 tokens for $7 a million, and 100 for $30.
    expect(before.body.balanceMicro - after.body.balanceMicro).toBe(147 + 3_000);
    // A process that starts later has it too.
    expect(await price(await start())).toBe('7.00');

    expect((await patch(world, { forSale: false, reason: 'trouble' })).body).toMatchObject({
      forSale: false,
      why: 'an operator switched it off: trouble',
      switchedOff: true,
    });
    await expectEventually(async () => (await shown(other)) === undefined);
    expect((await patch(world, { forSale: null, rates: null })).body).toMatchObject({
      forSale: true,
      changes: {},
    });
    await expectEventually(async () => (await price(other)) === '6.25');
  });

  it('refuse a price below the cost that nobody asked for, a price of zero, and what does not apply', async () => {
    const world = await start();
    const rates = (inputUsdPerMtok: string, outputUsdPerMtok = '90') => ({
      rates: { inputUsdPerMtok, outputUsdPerMtok },
    });
    const own = (await lines(world)).find(({ isListed }) => isListed === false)?.id;
    expect(own).toBeDefined();
    for (const [body, id, param] of [
      [{ markup: '4/5' }, MODEL, 'markup'],
      [{ markup: '0/1' }, MODEL, 'markup'],
      [{ markup: '1/0', belowCost: true }, MODEL, 'markup'],
      [{ markup: '2/1', ...rates('9') }, MODEL, 'markup'],
      [rates('4.999999'), MODEL, 'rates'],
      [rates('9', '24'), MODEL, 'rates'],
      [{ ...rates('0'), belowCost: true }, MODEL, 'rates'],
      [{ ...rates('-1'), belowCost: true }, MODEL, 'rates'],
      [{ markup: '2/1' }, own, 'markup'],
      [rates('9'), own, 'rates'],
      [{ routes: [{ provider: 'openai', model: MODEL }] }, MODEL, 'routes'],
    ] as const) {
      const { status, body: answer } = await patch(world, body, id);
      expect([body, status, answer.error?.param]).toEqual([body, 400, param]);
    }
    expect((await patch(world, { markup: '4/5', belowCost: true })).body).toMatchObject({
      price: { inputUsdPerMtok: '4.000000' },
      changes: { belowCost: true },
    });
    expect((await patch(world, { markup: '2/1' })).body.changes).toEqual({ markup: '2/1' });
    const [reader] = [{ authorization: 'Bearer a-token-that-only-reads-0123456789' }];
    const guarded = await start({ ADMIN_TOKENS: 'reader:read:a-token-that-only-reads-0123456789' });
    expect((await patch(guarded, { forSale: false }, MODEL, reader)).body.error.code).toBe('ADMIN_SCOPE');
  });

  it('take steps, name the one that is below the cost, and show each step with its price', async () => {
    const steps = [{ min_prompt_tokens: 200_001, prompt: '0.000006', completion: '0.0000225' }];
    const id = 'maker/model-a';
    vendor.sells({ id, pricing: { prompt: '0.000003', completion: '0.000015', overrides: steps } });
    const world = await start();
    const flat = { inputUsdPerMtok: '4', outputUsdPerMtok: '30' };
    const { status, body } = await patch(world, { rates: flat }, id);
    expect([status, body.error.param]).toEqual([400, 'rates']);
    expect(body.error.message).toContain(
      'input above 200000 tokens costs $6.00, and would sell for $4.00. A price can have steps',
    );
    const above = [{ tokens: 200_000, usd: '8' }];
    const rates = { ...flat, inputUsdPerMtok: { base: '4', above } };
    expect((await patch(world, { rates }, id)).body.price).toEqual({
      inputUsdPerMtok: { base: '4.000000', above: [{ tokens: 200_000, usd: '8.000000' }] },
      outputUsdPerMtok: '30.000000',
    });
    expect(await shown(world, id)).toMatchObject({ above: [{ tokens: 200_000, inputUsdPerMtok: '8.00' }] });
    // One price for all lengths has no step.
    expect((await patch(world, { rates: { ...flat, inputUsdPerMtok: '8' } }, id)).body.price).toEqual({
      inputUsdPerMtok: '8.000000',
      outputUsdPerMtok: '30.000000',
    });
    expect(await shown(world, id)).not.toHaveProperty('above');
  });

  it('sell at a held price only after an operator agreed to the price that was shown', async () => {
    const at = (prompt: string) => ({ id: 'maker/model-a', pricing: { prompt, completion: '0.000002' } });
    const [world, other] = [await start(), await start()];
    const id = 'maker/model-a';
    const ask = () => world.app.get(VendorLists, { strict: false }).ask();
    vendor.sells(MODEL, 'claude-sonnet-4-6', 'unpriced-1x', at('0.00002'));
    await ask();
    const { held, ...off } = await line(world, id, 'router');
    expect(off).toMatchObject({ forSale: false, why: expect.stringMatching(/must agree/) });
    expect(await doctor(world)).toMatchObject({
      outcome: 'look',
      text: `their new price waits for your agreement: ${id}`,
    });
    const caller = await KeyCaller.register(world, 1_000_000n);
    const call = await world.post(
      '/v1/chat/completions',
      { model: id, messages: [{ role: 'user', content: 'Hi' }] },
      { 'x-api-key': caller.key },
    );
    expect([call.status, call.body.error.code]).toEqual([503, 'NOT_OFFERED']);
    const answer = await world.get(`/v1/models/${encodeURIComponent(id)}`);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_OFFERED']);
    const [price] = held as [object];
    expect(price).toMatchObject({ vendor: 'router', model: id, rates: { inputUsdPerMtok: '20.000000' } });

    const wrong = { ...price, rates: { inputUsdPerMtok: '1.000000', outputUsdPerMtok: '2.000000' } };
    expect((await patch(world, { agree: wrong }, id)).body.error.code).toBe('HELD_PRICE_CHANGED');
    expect((await patch(world, { agree: price }, id)).body).toMatchObject({ forSale: true, held: [] });
    expect(await doctor(world)).toMatchObject({ outcome: 'ok' });
    expect((await shown(world, id))?.inputUsdPerMtok).toBe('25.00');
    await expectEventually(async () => (await shown(other, id))?.inputUsdPerMtok === '25.00');
    await ask();
    expect((await shown(world, id))?.inputUsdPerMtok).toBe('25.00');
    expect((await audited(world))[0]).toMatchObject({ action: 'agree_price', subject: `model ${id}` });
  });

  it.each([
    ['0.0000000066', { forSale: true, price: { inputUsdPerMtok: '1.250000' } }, '1.25'],
    ['0.00015', { forSale: false, why: expect.stringMatching(/must agree/) }, undefined],
  ])('have the held price %s again if the agreement to it is undone', async (prompt, before, sells) => {
    const at = (usd: string) => ({ id: 'maker/model-a', pricing: { prompt: usd, completion: '0.000002' } });
    const [world, other] = [await start(), await start()];
    const id = 'maker/model-a';
    const ask = () => world.app.get(VendorLists, { strict: false }).ask();
    vendor.sells(MODEL, 'claude-sonnet-4-6', 'unpriced-1x', at(prompt));
    await ask();
    const { held, ...facts } = await line(world, id, 'router');
    expect(facts).toMatchObject({ ...before, agreed: [] });
    const [agree] = held as [object];
    expect((await patch(world, { agree }, id)).body).toMatchObject({
      forSale: true,
      held: [],
      agreed: [agree],
    });
    // The list of an hour later has the price, too.
    await ask();
    expect((await patch(world, { agree: null, reason: 'A mistake' }, id)).body).toMatchObject({
      ...before,
      held: [agree],
      agreed: [],
    });
    const shownNow = async (of: World) => (await shown(of, id))?.inputUsdPerMtok;
    expect(await shownNow(world)).toBe(sells);
    await expectEventually(async () => (await shownNow(other)) === sells);
    await ask();
    expect(await shownNow(world)).toBe(sells);
    expect(await audited(world)).toMatchObject([
      {
        action: 'agree_price',
        subject: `model ${id}`,
        reason: expect.stringMatching(/^A mistake — undone: maker\/model-a at router: input/),
      },
      { action: 'agree_price', subject: `model ${id}` },
    ]);
    expect((await patch(world, { agree: null }, id)).status).toBe(200);
    expect(await audited(world)).toHaveLength(2);
  });

  // The requests that wait for a lock of an owner, or for that of a test.
  const waiting = async (world: World): Promise<number> =>
    (
      await world.db.rows(`select 1 from pg_locks l join pg_database d on d.oid = l.database
        where d.datname = current_database() and locktype = 'advisory' and not granted`)
    ).length;

  it('have the held price again although a process read the list before the undo, and stores one after it', async () => {
    const [world, other] = [await start(), await start()];
    const id = 'maker/model-a';
    const HELD = { id, pricing: { prompt: '0.0000000066', completion: '0.000002' } };
    const ask = (of: World) => of.app.get(VendorLists, { strict: false }).ask();
    vendor.sells(MODEL, HELD);
    await ask(world);
    const [agree] = (await line(world, id, 'router'))['held'] as [object];
    await patch(world, { agree }, id);
    await ask(world);
    await world.db.rows(`create function wait_here() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(47); return new; end $$`);
    await world.db.rows(`create trigger wait_here before insert on vendor_list for each row
      when (new.vendor = 'router') execute function wait_here()`);

    vendor.sells(MODEL, HELD, {
      id: 'maker/another',
      pricing: { prompt: '0.000001', completion: '0.000002' },
    });
    const asked = await world.db.transaction(async (queries) => {
      await queries.rows('select pg_advisory_xact_lock(47)');
      const asking = ask(other);
      await expectEventually(async () => (await waiting(world)) === 1);
      expect((await patch(world, { agree: null }, id)).body).toMatchObject({ held: [agree], agreed: [] });
      return [asking];
    });
    await Promise.all(asked);

    expect(await line(world, 'maker/another', 'router')).toMatchObject({ forSale: true });
    expect(await line(world, id, 'router')).toMatchObject({ held: [agree], agreed: [] });
    expect((await shown(world, id))?.inputUsdPerMtok).toBe('1.25');
  });

  it('keep an agreement that another operator makes while an older one is undone', async () => {
    const world = await start();
    const id = 'maker/model-a';
    const lists = world.app.get(VendorLists, { strict: false });
    const sells = async (prompt: string): Promise<object> => {
      vendor.sells(MODEL, { id, pricing: { prompt, completion: '0.000002' } });
      await lists.ask();
      return ((await line(world, id, 'router'))['held'] as [object])[0];
    };
    await patch(world, { agree: await sells('0.00002') }, id);
    const undone = await world.db.transaction(async (queries) => {
      await takeOwnerLock(queries, 'model', id);
      const undo = patch(world, { agree: null }, id);
      await expectEventually(async () => (await waiting(world)) === 1);
      await sells('0.0003');
      await lists.agreeTo('router', world.db, {
        model: id,
        rates: { input: '300.000000', output: '2.000000' },
      });
      return [undo];
    });

    expect((await undone[0])?.body).toMatchObject({
      forSale: true,
      agreed: [{ vendor: 'router', model: id }],
    });
    expect((await shown(world, id))?.inputUsdPerMtok).toBe('375.00');
    expect(await audited(world)).toHaveLength(1);
  });

  it('keep their present price if the agreement is of an earlier one, which would now be below the cost', async () => {
    const world = await start();
    const id = 'maker/model-a';
    const listed = async (prompt: string) => {
      vendor.sells('claude-sonnet-4-6', 'unpriced-1x', { id, pricing: { prompt, completion: '0.000002' } });
      await world.app.get(VendorLists, { strict: false }).ask();
    };
    await listed('0.00000009');
    const [agree] = (await line(world, id, 'router'))['held'] as [object];
    expect((await patch(world, { agree }, id)).body.agreed).toEqual([agree]);
    for (const prompt of ['0.00000009', '0.0000005', '0.000003']) await listed(prompt);
    expect((await patch(world, { agree: null }, id)).body).toMatchObject({ agreed: [], forSale: true });
    expect((await shown(world, id))?.inputUsdPerMtok).toBe('3.75');
  });

  it('do not wait in the words of doctor after an agreement to a price that is far from the book', async () => {
    const far = { id: 'claude-opus-4-5', pricing: { prompt: '0.0009', completion: '0.0009' } };
    vendor.sells('unpriced-1x', far, { ...far, id: 'lumen-code' });
    const world = await start({ CATALOG_WITHOUT: 'anthropic/*' });
    const [agree] = (await line(world, far.id, 'router'))['held'] as [object];
    const outside = async () => (await OUTSIDE_CHECKS['models']!(world.settings)).text;
    expect((await doctor(world)).text).toBe(`their new price waits for your agreement: ${far.id}`);
    expect(await outside()).not.toContain('must agree');
    expect((await patch(world, { agree }, far.id)).body.forSale).toBe(true);
    expect(await doctor(world)).toMatchObject({ outcome: 'ok' });
    expect(await outside()).toContain('router: 1 of 3 models for sale');
    expect(await outside()).toContain('lumen-code (the catalog has a model of its own under this name)');
    expect((await doctor(world)).text).toMatch(/^models for sale: \d+$/);
  });

  it('go to the cheapest vendor, then to the dearer one, which an operator can leave out', async () => {
    const dearer = await new ListingVendor().start();
    const id = 'maker/model-a';
    dearer.sells({ id, pricing: { prompt: '0.000003', completion: '0.000004' } });
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router,dearer',
      DEARER_BASE_URL: `${dearer.origin}/v1`,
    });
    const caller = await KeyCaller.register(world, 1_000_000n);
    const asked = () =>
      world.post(
        '/v1/chat/completions',
        { model: id, max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] },
        { 'x-api-key': caller.key },
      );
    const answered = async (): Promise<readonly [number, number]> => {
      const before = [vendor.asked.length, dearer.asked.length] as const;
      expect((await asked()).status).toBe(200);
      return [vendor.asked.length - before[0], dearer.asked.length - before[1]];
    };
    const price = (inputUsdPerMtok: string, outputUsdPerMtok: string) => ({
      inputUsdPerMtok,
      outputUsdPerMtok,
    });
    expect(await answered()).toEqual([1, 0]);
    const { routes, ...both } = await line(world, id, 'router');
    expect(both).toMatchObject({ cost: price('3.000000', '4.000000'), price: price('3.750000', '5.000000') });
    expect(routes).toEqual([
      { provider: 'router', model: id, cost: price('1.000000', '2.000000') },
      {
        provider: 'dearer',
        model: id,
        cost: price('3.000000', '4.000000'),
        raisesPrice: 'input from $1.25 to $3.75; output from $2.50 to $5.00',
      },
    ]);
    for (const status of [500, 502, 503, 504, 529]) {
      vendor.failsWith = status;
      expect([status, ...(await answered())]).toEqual([status, 1, 1]);
      forgetRoutes(world);
    }
    delete vendor.failsWith;
    vendor.lacks = [id];
    expect(await answered()).toEqual([1, 1]);

    // Left out, it is not tried, and the price falls.
    const out = [{ provider: 'dearer', model: id, leftOut: true }];
    const { body } = await patch(world, { routes: out }, id);
    expect(body).toMatchObject({ cost: price('1.000000', '2.000000'), price: price('1.250000', '2.500000') });
    expect(body.routes).toMatchObject([{ provider: 'router' }, { provider: 'dearer', isLeftOut: true }]);
    expect((await asked()).status).toBe(503);
    expect((await audited(world))[0]).toMatchObject({
      reason: `first routes: as usual. left out: dearer ${id}`,
    });
    vendor.lacks = [];
    forgetRoutes(world);
    expect(await answered()).toEqual([1, 0]);

    const every = [...out, { provider: 'router', model: id, leftOut: true }];
    expect((await patch(world, { routes: every }, id)).body.error.param).toBe('routes');
    expect((await patch(world, { routes: null }, id)).body.price).toEqual(price('3.750000', '5.000000'));
    const first = [{ provider: 'dearer', model: id }];
    expect((await patch(world, { routes: first }, id)).body.routes).toHaveLength(2);
    expect(await answered()).toEqual([0, 1]);

    // If the only vendor that is not left out loses the model, it is not for sale.
    await patch(world, { routes: out }, id);
    vendor.sells(MODEL, 'claude-sonnet-4-6', 'unpriced-1x');
    await world.app.get(VendorLists, { strict: false }).ask();
    expect((await world.post('/v1/admin/models/lists/router/agree', {}, ADMIN)).status).toBe(200);
    expect((await lines(world)).find((each) => each.id === id)).toMatchObject({
      forSale: false,
      why: 'an operator left its vendors out',
    });
    await dearer.stop();
  });

  it('have a price of their own that covers every vendor that is not left out', async () => {
    const dearer = await new ListingVendor().start();
    const id = 'maker/model-a';
    dearer.sells({ id, pricing: { prompt: '0.000003', completion: '0.000004' } });
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router,dearer',
      DEARER_BASE_URL: `${dearer.origin}/v1`,
    });
    const rates = (inputUsdPerMtok: string, outputUsdPerMtok: string) => ({
      rates: { inputUsdPerMtok, outputUsdPerMtok },
    });
    const { status, body } = await patch(world, rates('2', '3'), id);
    expect([status, body.error?.message]).toEqual([
      400,
      expect.stringContaining('input costs $3.00, and would sell for $2.00'),
    ]);
    const routes = [{ provider: 'dearer', model: id, leftOut: true }];
    const input = async () => (await shown(world, id))?.inputUsdPerMtok;
    expect((await patch(world, { ...rates('2', '3'), routes }, id)).status).toBe(200);
    expect(await input()).toBe('2.00');
    expect((await patch(world, rates('1', '2'), id)).status).toBe(200);
    // Used again, the dearer vendor does not sell below its cost.
    await patch(world, { routes: null }, id);
    expect(await input()).toBe('3.00');
    await dearer.stop();
  });

  it('do not go to a vendor that costs more than the quote of the call, if the cheaper one fails', async () => {
    const dearer = await new ListingVendor().start();
    const id = 'maker/model-a';
    dearer.sells({ id, pricing: { prompt: '0.000009', completion: '0.000018' } });
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router,dearer',
      DEARER_BASE_URL: `${dearer.origin}/v1`,
    });
    const caller = await KeyCaller.register(world, 1_000_000n);
    await patch(world, { routes: [{ provider: 'dearer', model: id, leftOut: true }] }, id);
    const body = { model: id, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 8_000 };
    const headers = { 'x-api-key': caller.key };
    const { quoteId } = (await world.post('/v1/agent/quote?path=/v1/agent/chat', body, headers)).body;
    await patch(world, { routes: null }, id);

    vendor.failsWith = 500;
    expect((await world.post('/v1/agent/chat', { ...body, quoteId }, headers)).status).toBe(503);
    expect(dearer.asked).toEqual([]);
    expect((await world.get('/v1/agent/balance', headers)).body.balanceMicro).toBe(1_000_000);
    expect((await world.post('/v1/agent/chat', body, headers)).status).toBe(200);
    expect(dearer.asked).toEqual([id]);
    // If no vendor costs as little, the quote still holds.
    await patch(world, { routes: [{ provider: 'router', model: id, leftOut: true }] }, id);
    expect((await world.post('/v1/agent/chat', { ...body, quoteId }, headers)).status).toBe(200);
    await dearer.stop();
  });

  it('can be agreed to at a vendor that would raise their price, whose name has a release', async () => {
    const at = (prompt: string) => ({ id: 'm-20250101', pricing: { prompt, completion: '0.00002' } });
    const dearer = await new ListingVendor().start();
    vendor.sells(MODEL, at('0.000002'));
    dearer.sells('unpriced-1x');
    const world = await start({
      OPENAI_COMPATIBLE_SERVERS: 'router,dearer',
      DEARER_BASE_URL: `${dearer.origin}/v1`,
    });
    dearer.sells(at('0.00003'));
    await world.app.get(VendorLists, { strict: false }).ask();
    const [agree] = (await line(world, 'm-20250101', 'dearer'))['held'] as [object];
    const routes = [{ provider: 'dearer', model: 'm-20250101' }];
    const { status, body } = await patch(world, { agree, routes }, 'm-20250101');
    expect([status, body]).toMatchObject([
      200,
      { id: 'm', price: { inputUsdPerMtok: '37.500000' }, changes: { routes } },
    ]);
    await dearer.stop();
  });

  it('stay for sale while a list lacks most of them, until an operator agrees', async () => {
    vendor.sells(MODEL, 'claude-sonnet-4-6', 'claude-haiku-4-5', 'maker/unpriced');
    const world = await start();
    await world.app.get(VendorLists, { strict: false }).ask();
    vendor.sells('unpriced-1x');
    await world.app.get(VendorLists, { strict: false }).ask();
    expect((await shown(world))?.inputUsdPerMtok).toBe('6.25');
    expect(await lists(world)).toMatchObject([
      { missing: 3, missingModels: ['claude-haiku-4-5', MODEL, 'claude-sonnet-4-6'], isOld: false },
      {},
    ]);
    expect(await doctor(world)).toMatchObject({
      outcome: 'look',
      text: expect.stringContaining(
        `the newest list of anthropic lacks claude-haiku-4-5, ${MODEL}, claude-sonnet-4-6`,
      ),
    });
    const agreed = await world.post('/v1/admin/models/lists/anthropic/agree', {}, ADMIN);
    expect([agreed.status, agreed.body]).toMatchObject([200, { vendor: 'anthropic', missing: 0 }]);
    expect(await shown(world)).toBeUndefined();
    expect((await world.post('/v1/admin/models/lists/nobody/agree', {}, ADMIN)).status).toBe(404);
  });

  it('show that their vendor refused the key, also before its first list, and that its list is old', async () => {
    vendor.status = 401;
    const world = await start();
    const { lines: logged } = captureLog(world);
    const ask = () => world.app.get(VendorLists, { strict: false }).ask();
    const never = 'anthropic does not list its models: it answered 503. It never listed its models.';
    vendor.status = 503;
    await ask();
    expect(logged.join('\n')).toContain(never);
    vendor.status = 401;
    await ask();
    const refused = 'the vendor refused the key (401)';
    const [first] = await lists(world);
    expect(first).toMatchObject({ vendor: 'anthropic', models: 0, problem: refused, isOld: false });
    const { text, outcome } = await doctor(world);
    expect([outcome, text]).toEqual(['look', `anthropic: ${refused}; router: ${refused}`]);
    expect((await OUTSIDE_CHECKS['models']!(world.settings)).text).toContain(
      `anthropic does not list its models: ${refused}`,
    );
    vendor.status = 200;
    await ask();
    expect((await lists(world))[0]).not.toHaveProperty('problem');
    expect(await doctor(world)).toMatchObject({ outcome: 'ok' });

    // An older question that fails late says nothing.
    const stored = world.app.get(VendorListRepository, { strict: false });
    await stored.fail('anthropic', 'it answered 502', 60_000);
    expect((await lists(world))[0]).not.toHaveProperty('problem');

    vendor.status = 500;
    await ask();
    await world.db.rows("update vendor_list set read_at = now() - interval '27 hours'");
    expect((await lists(world))[0]).toMatchObject({ models: 4, problem: 'it answered 500', isOld: true });
    expect((await doctor(world)).text).toMatch(/the list of anthropic is of \d{4}-/);
    expect(logged.join('\n')).toContain(
      'anthropic does not list its models: it answered 500. Its last list stays.',
    );
    // The last list still decides.
    expect(await shown(world)).toBeDefined();
  });

  it('show the message of a vendor that answers 200 without a list, but no key', async () => {
    const message = `Key a-key-of-anthropic-0123456789\u0000 is\u202e of\nan old plan ${'😀'.repeat(300)}`;
    vendor.list = () => ({ error: { message } });
    const world = await start();
    const said = 'Key … is of an old plan ';
    const problem = `its list of models cannot be read: ${said}${'😀'.repeat(200 - said.length)}`;
    expect((await lists(world))[0]).toMatchObject({ vendor: 'anthropic', models: 0, problem });
  });

  it('show that Google refused the key, which it reports as a mistake of the caller', async () => {
    vendor.status = 400;
    const error = {
      code: 400,
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
    };
    vendor.list = () => ({ error });
    const world = await start({
      GEMINI_API_KEY: 'a-key-of-google-0123456789',
      GEMINI_BASE_URL: `${vendor.origin}/v1beta`,
    });
    const problems = (await lists(world)).map(({ vendor: name, problem }) => [name, problem]);
    expect(problems).toContainEqual(['gemini', 'the vendor refused the key or the account (400)']);
    expect(problems).toContainEqual(['router', 'it answered 400 INVALID_ARGUMENT']);
  });

  it('are marked if they sell below their cost, and the usual markup is shown', async () => {
    const world = await start();
    expect((await world.get('/v1/admin/models', ADMIN)).body.markup).toBe('5/4');
    expect((await lines(world)).filter(({ isBelowCost }) => isBelowCost)).toEqual([]);
    const rates = { inputUsdPerMtok: '9', outputUsdPerMtok: '24' };
    expect((await patch(world, { rates, belowCost: true })).body.isBelowCost).toBe(true);
    expect(await doctor(world)).toMatchObject({
      outcome: 'look',
      text: `they sell below their cost: ${MODEL}`,
    });
  });

  it('have no entry in the audit for a change that changes nothing', async () => {
    const world = await start();
    const undo = { markup: null, rates: null, private: null, adultsOnly: null, routes: null, agree: null };
    for (const body of [undo, { forSale: null }, { forSale: true }, { private: false }])
      expect((await patch(world, body)).status).toBe(200);
    expect(await audited(world)).toEqual([]);
    for (const body of [
      { markup: '2/1' },
      { markup: '2/1' },
      { forSale: false },
      { forSale: false },
      undo,
      undo,
    ])
      expect((await patch(world, body)).status).toBe(200);
    expect((await audited(world)).map(({ action }) => action)).toEqual([
      'change_model',
      'switch_off',
      'change_model',
    ]);
  });

  it('are exported as a CATALOG_FILE that sells the same, and then wins', async () => {
    const world = await start();
    await patch(world, { markup: '2/1', adultsOnly: true });
    await patch(world, { forSale: false }, 'claude-sonnet-4-6');
    const { status, body } = await world.get('/v1/admin/models/export', ADMIN);
    expect(status).toBe(200);
    const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
    const path = join(folder, 'catalog.json');
    writeFileSync(path, JSON.stringify(body));
    const filed = await start({ CATALOG_FILE: path });
    rmSync(folder, { recursive: true });
    const models = async (of: World) => (await of.get('/v1/agent/models')).body;
    expect(await models(filed)).toEqual(await models(world));
    expect((await patch(filed, { adultsOnly: false })).body.error.param).toBe('id');
    expect((await patch(filed, { forSale: false })).body).toMatchObject({ forSale: false });
  });
});
