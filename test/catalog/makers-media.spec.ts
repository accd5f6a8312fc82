import type { ServerResponse } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { callersOf } from '../contract/rail-callers';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { FakeBfl } from '../support/fake-bfl';
import { FakeGemini } from '../support/fake-gemini';
import { FakeOpenai } from '../support/fake-openai';
import { FakeRunway } from '../support/fake-runway';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { McpCaller } from '../support/mcp';
import { pictureOf } from '../support/media-files';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';

const ADMIN = { authorization: 'Bearer an-admin-token-for-tests', 'content-type': 'application/json' };

/** Serves a picture when other work is done. */
class PictureServer extends LoopbackServer {
  meanwhile = (): Promise<void> => Promise.resolve();

  constructor(private readonly picture: Buffer) {
    super();
  }

  protected override async serve(_call: Received, response: ServerResponse): Promise<void> {
    await this.meanwhile();
    response.writeHead(200, { 'content-type': 'image/png' }).end(this.picture);
  }
}

describe('media of makers, sold by a key alone', () => {
  const worlds: World[] = [];
  const start = async (env: Readonly<Record<string, string>>): Promise<World> => {
    const world = await World.start({ ALLOW_SANDBOX_MIX: 'true', ...env });
    worlds.push(world);
    return world;
  };
  const ask = (world: World) => world.app.get(VendorLists, { strict: false }).ask();
  const media = async (world: World): Promise<string[]> =>
    ((await world.get('/v1/agent/models')).body.models as { id: string }[]).map(({ id }) => id);
  const images = (world: World, caller: KeyCaller, body: object, key?: string) =>
    world.post(
      '/v1/agent/images/generations',
      { prompt: 'a fox', ...body },
      { 'x-api-key': caller.key, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    );
  const charges = (world: World) =>
    world.db.rows('select model_id as model, price_micro as price from charge order by created_at');
  const patch = (world: World, id: string, body: object) =>
    world.send({
      method: 'PATCH',
      url: `/v1/admin/models/${encodeURIComponent(id)}`,
      headers: ADMIN,
      payload: JSON.stringify(body),
    });
  const line = async (world: World, id: string) =>
    ((await world.get('/v1/admin/models', ADMIN)).body.models as { id: string }[]).find(
      (model) => model.id === id,
    );

  afterEach(async () => {
    for (const world of worlds.splice(0)) {
      await world.expectBooksToBalance();
      await world.stop();
    }
  });

  it('are for sale at once where the vendor has no list, and cost the price of the book with its markup', async () => {
    const bfl = await FakeBfl.start();
    const world = await start({ ...bfl.env, FETCH_ALLOW_HOSTS: bfl.host });
    const caller = await KeyCaller.register(world, 1_000_000n);
    expect(await media(world)).toEqual(expect.arrayContaining(['flux-2-pro', 'flux-kontext-pro/edit']));
    expect((await images(world, caller, { model: 'flux-2-pro' })).status).toBe(200);
    expect(bfl.accepted).toMatchObject([{ model: 'flux-2-pro', input: { width: 1_024, height: 1_024 } }]);
    expect(await charges(world)).toEqual([{ model: 'flux-2-pro', price: '37500' }]);
    expect(await line(world, 'flux-2-pro')).toMatchObject({
      kind: 'media',
      vendor: 'bfl',
      isListed: true,
      forSale: true,
      cost: { default: '0.030000' },
      price: { default: '0.037500' },
    });
    await bfl.stop();
  });

  it('are for sale while the list of the vendor has them, by one name with or without a picture', async () => {
    const gemini = await FakeGemini.start();
    gemini.listed = ['gemini-2.5-flash', 'gemini-3.1-flash-image', 'gemini-3-pro-image'];
    const world = await start({ ...gemini.env, CATALOG_WITHOUT: 'gemini/gemini-3-pro*' });
    const caller = await KeyCaller.register(world, 1_000_000n);
    await ask(world);
    expect((await media(world)).filter((id) => id.startsWith('gemini'))).toEqual([
      'gemini-3.1-flash-image',
      'gemini-3.1-flash-image/edit',
    ]);
    expect(await line(world, 'gemini-3-pro-image')).toMatchObject({
      forSale: false,
      why: 'left out by CATALOG_WITHOUT',
    });
    const refused = await images(world, caller, { model: 'gemini-3-pro-image' });
    expect([refused.status, refused.body.error.code]).toEqual([503, 'NOT_OFFERED']);

    const body = { model: 'gemini-3.1-flash-image', aspectRatio: '16:9' };
    const first = await images(world, caller, body, 'before-it-was-gone');
    expect(first.status).toBe(200);
    const image = `data:image/png;base64,${(await pictureOf(512, 512)).toString('base64')}`;
    const edited = await world.post(
      '/v1/agent/generate',
      { modelId: 'gemini-3.1-flash-image', prompt: 'a hat', image, resolution: '2K' },
      { 'x-api-key': caller.key },
    );
    expect(edited.status).toBe(200);
    const quoteOf = (more: object) =>
      world.post('/v1/agent/quote', { modelId: 'gemini-3.1-flash-image', resolution: '2K', ...more });
    expect((await quoteOf({ image })).body).toMatchObject({ mode: 'i2i', priceMicro: 138_750 });
    expect((await quoteOf({})).body).toMatchObject({ mode: 't2i', priceMicro: 133_750 });
    expect((await world.post('/v1/agent/quote', { modelId: 'tts-1', image })).status).toBe(404);
    expect((await patch(world, 'gemini-3.1-flash-image', { forSale: false })).status).toBe(200);
    for (const more of [{}, { image }]) expect((await quoteOf(more)).status).toBe(503);
    expect(await line(world, 'gemini-3.1-flash-image/edit')).toMatchObject({
      forSale: false,
      why: 'an operator switched gemini-3.1-flash-image off',
    });
    expect((await patch(world, 'gemini-3.1-flash-image', { forSale: true })).status).toBe(200);
    // The work from a picture may be off alone.
    expect((await patch(world, 'gemini-3.1-flash-image/edit', { forSale: false })).status).toBe(200);
    expect([(await quoteOf({})).status, (await quoteOf({ image })).status]).toEqual([200, 503]);
    expect((await patch(world, 'gemini-3.1-flash-image/edit', { forSale: true })).status).toBe(200);
    expect((await patch(world, 'gemini-3.1-flash-image', { markup: '2/1', adultsOnly: true })).status).toBe(
      200,
    );
    expect((await quoteOf({ image })).body.priceMicro).toBe(222_000);
    const forAdults = await world.post(
      '/v1/agent/generate',
      { modelId: 'gemini-3.1-flash-image', prompt: 'a hat', image },
      { 'x-api-key': caller.key },
    );
    expect([forAdults.status, forAdults.body.error.code]).toEqual([403, 'ADULTS_ONLY']);
    expect((await patch(world, 'gemini-3.1-flash-image/edit', { markup: '3/2' })).status).toBe(200);
    expect((await quoteOf({ image })).body.priceMicro).toBe(166_500);
    // No change of the work from a picture takes a limit of its maker's name back.
    const kept = await patch(world, 'gemini-3.1-flash-image/edit', { adultsOnly: false });
    expect(kept.body).toMatchObject({ adultsOnly: true, changes: { markup: '3/2' } });
    await patch(world, 'gemini-3.1-flash-image/edit', { markup: null });
    await patch(world, 'gemini-3.1-flash-image', { markup: null, adultsOnly: null });
    expect(await charges(world)).toEqual([
      { model: 'gemini-3.1-flash-image', price: '91250' },
      { model: 'gemini-3.1-flash-image/edit', price: '138750' },
    ]);
    expect(gemini.pictures).toHaveLength(2);

    gemini.listed = ['gemini-2.5-flash'];
    await ask(world);
    await ask(world);
    // Half of the list is gone, so its models stay for a while. An operator agrees.
    await world.send({
      method: 'POST',
      url: '/v1/admin/models/lists/gemini/agree',
      headers: ADMIN,
      payload: '{}',
    });
    await expectEventually(async () => !(await media(world)).includes('gemini-3.1-flash-image'));
    expect(await images(world, caller, body, 'before-it-was-gone')).toMatchObject({
      status: 200,
      body: first.body,
    });
    const gone = await images(world, caller, body);
    expect([gone.status, gone.body.error.code]).toEqual([410, 'MODEL_RETIRED']);
    await gemini.stop();
  });

  it('are sold by a list that an earlier release stored, and retire if the next one lacks them', async () => {
    const gemini = await FakeGemini.start();
    gemini.listed = ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-3.1-flash-image', 'gemini-3-pro-image'];
    const env = { ...gemini.env, DATABASE_URL: await cloneDatabase() };
    const before = await start(env);
    await ask(before);
    await before.db.rows(
      `update vendor_list set models = (select jsonb_agg(case when m ? 'isMedia'
         then m - 'isMedia' || '{"why": "it makes no text"}' else m end) from jsonb_array_elements(models) m)`,
    );
    gemini.listed = ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-3.1-flash-image'];
    const world = await start(env);
    const caller = await KeyCaller.register(world, 1_000_000n);
    expect(await media(world)).toContain('gemini-3-pro-image');
    await ask(world);
    expect((await media(world)).filter((id) => id.startsWith('gemini'))).toEqual([
      'gemini-3.1-flash-image',
      'gemini-3.1-flash-image/edit',
    ]);
    const gone = await images(world, caller, { model: 'gemini-3-pro-image' });
    expect([gone.status, gone.body.error.code]).toEqual([410, 'MODEL_RETIRED']);
    await gemini.stop();
  });

  it.each(['x402', 'mpp'])(
    'have their own price if one becomes the default after a quote: %s',
    async (rail) => {
      const world = await start({
        RUNWAY_API_KEY: 'a-key-of-runway-0123456789',
        RUNWAY_BASE_URL: 'http://127.0.0.1:9',
      });
      const caller = await callersOf(rail).caller(world, 5_000_000n);
      const [body, path] = [{ prompt: 'a fox' }, '/v1/agent/generate'];
      expect((await patch(world, 'gen4_image', { markup: '4/1', forSale: false })).status).toBe(200);
      // The default is `gemini_2.5_flash`, which costs less.
      const payment = await caller.credential(body, undefined, path);
      expect((await patch(world, 'gen4_image', { forSale: true })).status).toBe(200);
      const refused = await world.post(path, body, payment);
      expect([refused.status, refused.body.error.code]).toEqual([402, 'INVALID_PAYMENT']);
      expect(await charges(world)).toEqual([]);
    },
  );

  it('answer paid calls without a model again after the default of their mode changed', async () => {
    const gemini = await FakeGemini.start();
    const [first, next] = ['gemini-3.1-flash-lite-image', 'gemini-3.1-flash-image'];
    gemini.listed = ['gemini-2.5-flash', first, next];
    const world = await start(gemini.env);
    const caller = await KeyCaller.register(world, 1_000_000n);
    await ask(world);
    const key = { 'x-api-key': caller.key };
    const scopes = async (value: object): Promise<void> => {
      await world.db.rows(`update api_key set scopes = '${JSON.stringify(value)}'::jsonb`);
      await pause(1_100); // A process knows a key for a second.
    };
    await scopes({ models: [first] });
    const call = (path: string, body: object, mark: string) =>
      world.post(path, { prompt: 'a fox', ...body }, { ...key, 'idempotency-key': `${mark} ${path}` });
    const generate = '/v1/agent/generate';
    const { quoteId } = (await world.post(`/v1/agent/quote?path=${generate}`, { prompt: 'a fox' }, key)).body;
    const calls: (readonly [path: string, body: object, mark: string])[] = [
      [generate, {}, 'without a quote'],
      [generate, { quoteId }, 'with a quote'],
      ['/v1/agent/images/generations', {}, 'of a stock client'],
    ];
    const paid: unknown[] = [];
    for (const each of calls) paid.push((await call(...each)).headers['x-charge-id']);
    expect((await patch(world, first!, { forSale: false })).status).toBe(200);
    const again = async (): Promise<unknown[]> => {
      const ids: unknown[] = [];
      for (const each of calls) {
        const { status, headers, body } = await call(...each);
        ids.push(status === 200 ? headers['x-charge-id'] : body.error.code);
      }
      return ids;
    };
    const refusedNow = async (): Promise<unknown[]> => [
      (await call(generate, {}, 'another call')).body.error.code,
      (await world.post(generate, { prompt: 'a fox', dryRun: true }, key)).body.error.code,
    ];
    expect(await again()).toEqual(paid);
    expect(await refusedNow()).toEqual(['KEY_SCOPE', 'KEY_SCOPE']);
    // The next model costs 91250.
    await scopes({ priceMicroMax: 60_000 });
    expect(await again()).toEqual(paid);
    expect(await refusedNow()).toEqual(['KEY_SCOPE', 'KEY_SCOPE']);
    await scopes({ models: [next], priceMicroMax: 60_000 });
    expect(await again()).toEqual(['KEY_SCOPE', 'KEY_SCOPE', 'KEY_SCOPE']);
    await scopes({ routes: ['chat'] });
    expect(await again()).toEqual(['KEY_SCOPE', 'KEY_SCOPE', 'KEY_SCOPE']);
    await scopes({});
    const late = await call(generate, { quoteId }, 'another call');
    expect([late.status, late.body.error.code]).toEqual([409, 'QUOTE_MISMATCH']);
    expect(await charges(world)).toEqual(calls.map(() => ({ model: first, price: '47000' })));
    await gemini.stop();
  });

  it('answer a paid film of a tool with a duration again after the default changed', async () => {
    const runway = await FakeRunway.start();
    const world = await start({ ...runway.env, FETCH_ALLOW_HOSTS: runway.host });
    const caller = await KeyCaller.register(world, 10_000_000n);
    expect((await patch(world, 'gen4.5', { forSale: false })).status).toBe(200);
    const mcp = await McpCaller.connect(await world.listen(), { 'x-api-key': caller.key });
    const film = { prompt: 'a fox', duration: 8, idempotencyKey: 'a film of a fox', waitSeconds: 0 };
    const paid = (await mcp.call('generate_video', film)).structuredContent;
    expect(paid).toMatchObject({ status: 'running', jobId: expect.any(String) });
    expect((await patch(world, 'veo3.1_fast', { forSale: false })).status).toBe(200);
    const again = (await mcp.call('generate_video', film)).structuredContent;
    expect(again?.['jobId']).toBe(paid?.['jobId']);
    expect((await charges(world)).map(({ model }) => model)).toEqual(['veo3.1_fast']);
    await mcp.client.close();
    await runway.stop();
  });

  it('are never made for the price of a default that ended while the picture of the call was fetched', async () => {
    const server = await new PictureServer(await pictureOf(512, 512)).start();
    const runway = await FakeRunway.start();
    const world = await start({ ...runway.env, FETCH_ALLOW_HOSTS: `${runway.host},${server.host}` });
    server.meanwhile = async () => {
      expect((await patch(world, 'gen4_image_turbo', { forSale: false })).status).toBe(200);
    };
    const caller = await KeyCaller.register(world, 1_000_000n);
    const body = { prompt: 'a hat', image: `${server.origin}/fox.png` };
    const refused = await world.post('/v1/agent/generate', body, { 'x-api-key': caller.key });
    expect([refused.status, runway.accepted]).toEqual([503, []]);
    expect(await world.db.rows('select model_id as model, state from charge')).toEqual([
      { model: 'gen4_image_turbo', state: 'released' },
    ]);
    await Promise.all([server.stop(), runway.stop()]);
  });

  it('include speech and transcripts', async () => {
    const openai = await FakeOpenai.start();
    openai.listed = ['gpt-4o-mini', 'tts-1', 'whisper-1'];
    const world = await start(openai.env);
    const caller = await KeyCaller.register(world, 1_000_000n);
    await ask(world);
    const { audioModels } = (await world.get('/v1/agent/models')).body as { audioModels: { id: string }[] };
    expect(audioModels.map(({ id }) => id)).toEqual([
      'echo-voice',
      'echo-voice-studio',
      'scribe',
      'tts-1',
      'whisper-1',
    ]);
    const spoken = await world.post(
      '/v1/audio/speech',
      { model: 'tts-1', voice: 'alloy', input: 'a'.repeat(1_000) },
      { 'x-api-key': caller.key },
    );
    expect(spoken.status).toBe(200);
    expect(await charges(world)).toEqual([{ model: 'tts-1', price: '18750' }]);
    await openai.stop();
  });

  it("have the operator's markup in all processes, and in a file that sells the same", async () => {
    const bfl = await FakeBfl.start();
    const env = { ...bfl.env, DATABASE_URL: await cloneDatabase() };
    const [world, other] = [await start(env), await start(env)];
    const below = await patch(world, 'flux-2-pro', { markup: '1/2' });
    expect([below.status, below.body.error.param]).toEqual([400, 'markup']);
    const rates = { inputUsdPerMtok: '1', outputUsdPerMtok: '1' };
    expect((await patch(world, 'flux-2-pro', { rates })).body.error.message).toContain('markup');
    expect((await patch(world, 'ember-edit', { markup: '3/2' })).status).toBe(400);
    expect((await patch(world, 'flux-2-pro', { markup: '3/2' })).body).toMatchObject({
      price: { default: '0.045000' },
      changes: { markup: '3/2' },
    });
    expect((await patch(world, 'flux-2-max', { forSale: false })).status).toBe(200);
    const quote = async (at: World, modelId: string) =>
      (await at.post('/v1/agent/quote', { modelId, prompt: 'a fox' })).body.priceMicro as number;
    await expectEventually(async () => (await quote(other, 'flux-2-pro')) === 45_000);
    await expectEventually(async () => !(await media(other)).includes('flux-2-max'));

    const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
    const path = join(folder, 'catalog.json');
    writeFileSync(path, JSON.stringify((await world.get('/v1/admin/models/export', ADMIN)).body));
    const read = await start({ ...bfl.env, CATALOG_FILE: path });
    rmSync(folder, { recursive: true });
    expect((await media(read)).sort()).toEqual((await media(world)).sort());
    for (const id of ['flux-2-pro', 'flux-kontext-max', 'flux-pro-1.1-ultra'])
      expect([id, await quote(read, id)]).toEqual([id, await quote(world, id)]);
    await bfl.stop();
  });
});
