import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

import sharp from 'sharp';

import { BodyBudget } from '#platform/http/body/body-budget';
import { BodyReader } from '#platform/http/body/body-reader';
import { UploadSlots } from '#platform/media/upload-slots';
import { Uploads } from '#platform/media/uploads';
import { dataUri } from '../references/library-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
const JUNK = { authorization: 'Bearer nonsense' };
const JUNK_KEY = { 'x-api-key': `lp_${'1'.repeat(64)}` };

/** Somebody who proves nothing, and sends whatever takes our memory and our time. */
describe('bytes without a proven payer', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lamppost-unproven-'));
  let world: World;
  let url: string;
  let budget: BodyBudget;
  const open: ClientRequest[] = [];

  beforeAll(async () => {
    world = await World.start({ DATA_DIR: dataDir });
    url = await world.listen();
    await world.get('/health/live'); // The documents are parsed with the first answer, and are larger than what is looked for.
    budget = Reflect.get(world.app.get(BodyReader, { strict: false }), 'budget') as BodyBudget;
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const call of open.splice(0)) call.destroy();
    await expectEventually(() => budget.bytes === 0);
    await expectEventually(() => incoming().length === 0);
    await world.expectBooksToBalance();
  });
  afterAll(async () => {
    await world.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const incoming = (): readonly string[] =>
    readdirSync(dataDir).includes('incoming') ? readdirSync(join(dataDir, 'incoming')) : [];

  const begin = (path: string, headers: Readonly<Record<string, string>>, first = ''): ClientRequest => {
    const call = request(`${url}${path}`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    });
    call.on('error', () => undefined);
    call.write(first);
    open.push(call);
    return call;
  };
  const answerOf = async (call: ClientRequest) => {
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const body = (await json(response)) as { error: { code: string; message: string } };
    return { status: response.statusCode, headers: response.headers, ...body.error };
  };
  const image = (): Promise<Buffer> =>
    sharp(randomBytes(1_500 * 1_500 * 3), { raw: { width: 1_500, height: 1_500, channels: 3 } })
      .png()
      .toBuffer();
  /** The longest text that is parsed in one go. */
  const watchParser = (): (() => number) => {
    const spy = jest.spyOn(JSON, 'parse');
    return () => Math.max(0, ...spy.mock.calls.map(([text]) => text.length));
  };

  it('are priced however many they are, and a stock client that sends its image first pays and gets its work', async () => {
    const body = JSON.stringify({
      modelId: 'ember-edit',
      prompt: 'the same, in blue',
      image: dataUri('image/png', await image()),
    });
    expect(body.length).toBeGreaterThan(8 * MEGABYTE);
    let most = 0;
    let files = 0;
    const watch = setInterval(() => {
      most = Math.max(most, budget.bytes);
      files = Math.max(files, incoming().length);
    }, 1);
    const longest = watchParser();

    const unpaid = await fetch(`${url}/v1/agent/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    clearInterval(watch);

    expect(unpaid.status).toBe(402);
    expect([most <= 64 * KILOBYTE, files, longest() <= 64 * KILOBYTE]).toEqual([true, 0, true]);
    const paid = await new WalletCaller().payingFetch()(`${url}/v1/agent/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect([paid.status, paid.headers.get('x-charge-state')]).toEqual([200, 'charged']);
  });

  it('cost what the same words cost when they are read, and are read when they are paid', async () => {
    const content = '🦊\n"'.repeat(15_000) + '[[tokens 5]]';
    const chat = { messages: [{ role: 'user', content }], max_tokens: 64 };
    const body = JSON.stringify(chat);
    expect(Buffer.byteLength(body)).toBeGreaterThan(64 * KILOBYTE);
    const { body: quote } = await world.post('/v1/agent/quote', {
      modelId: 'lumen-flash',
      prompt: content,
      max_tokens: 64,
    });
    const longest = watchParser();

    const unpaid = await world.post('/v1/agent/chat', body);

    const texts = longest();
    expect(unpaid.status).toBe(402);
    expect(Number(unpaid.body.accepts[0].maxAmountRequired)).toBe(quote.priceMicro);
    expect(texts).toBeLessThanOrEqual(64 * KILOBYTE);
    const paid = await new WalletCaller().payingFetch()(`${url}/v1/agent/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const byKey = await world.post('/v1/agent/chat', body, { 'x-api-key': key });
    expect([paid.status, byKey.status]).toEqual([200, 200]);
    const answer = (await paid.json()) as { choices: unknown };
    expect(answer.choices).toEqual(byKey.body.choices);
  });

  it.each([
    ['/mcp', JUNK],
    ['/mcp', JUNK_KEY],
    ['/mcp', {}],
    ['/v1/chat/completions', JUNK],
    ['/v1/chat/completions', JUNK_KEY],
    ['/v1/chat/completions', {}],
    ['/v1/agent/generate', JUNK_KEY],
    ['/v1/agent/chat', { 'payment-signature': 'nonsense' }],
    ['/v1/agent/quote', {}],
  ])('are refused at %s with %j before they are all here, and none of them stay', async (path, headers) => {
    const calls = Array.from({ length: 25 }, () =>
      begin(path, headers, `{"a":"${'x'.repeat(63 * KILOBYTE)}`),
    );
    await expectEventually(() => budget.bytes > 0 || path === '/v1/agent/generate');
    expect(budget.bytes).toBeLessThanOrEqual(25 * 64 * KILOBYTE);

    const answers = calls.map(answerOf);
    for (const call of calls) {
      // Ever new words: a text alone would be counted, and not kept.
      for (let n = 0; n < 300; n += 1) call.write(`","${n}":"${'y'.repeat(900)}`);
    }

    for (const { status } of await Promise.all(answers)) expect([401, 413]).toContain(status);
    expect(budget.bytes).toBe(0);
  });

  it('are refused as a flood of values before they are all here, also of somebody who can pay', async () => {
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const call = begin('/v1/chat/completions', { 'x-api-key': key, 'content-length': '8000000' }, '{"a":[');
    const answer = answerOf(call);
    for (let n = 0; n < 20; n += 1) call.write('1,'.repeat(10_000));

    expect(await answer).toMatchObject({ status: 400, message: 'The body holds more than 100000 values.' });
  });

  it.each([
    ['a million values', `[${'0,'.repeat(1_000_000)}0]`],
    ['deep nesting', '['.repeat(1_000_000)],
    ['a million keys', `{${Array.from({ length: 300_000 }, (_, n) => `"${n}":0`).join()}}`],
    ['a million quotes', '""'.repeat(1_000_000)],
    ['backslashes', `{"a":"${'\\\\'.repeat(1_000_000)}"}`],
  ])('are never parsed in one long go: %s', async (_what, body) => {
    const longest = watchParser();

    for (const path of [
      '/v1/agent/generate',
      '/v1/agent/chat',
      '/v1/chat/completions',
      '/mcp',
      '/v1/agent/quote',
    ]) {
      const { status } = await world.post(path, body, { ...JUNK });
      expect([400, 401, 402, 413]).toContain(status);
    }

    expect(longest()).toBeLessThanOrEqual(64 * KILOBYTE);
  });

  it('are put aside for a payment that comes inside of a message, apart from the slots of callers', async () => {
    const part = dataUri('image/png', await image()).slice(0, 3 * MEGABYTE);
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"generate_image","arguments":{"image":"${part}`;
    for (let n = 0; n < 4; n += 1) begin('/mcp?payment=x402', {}, message);
    await expectEventually(() => incoming().length === 2);

    const { key } = await KeyCaller.register(world, 50_000_000n);
    const answer = await fetch(`${url}/v1/agent/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({
        modelId: 'ember-edit',
        prompt: 'blue',
        image: dataUri('image/png', await image()),
      }),
    });

    expect(answer.status).toBe(200);
  });

  it('lose their slot among large bodies when they trickle and somebody waits', async () => {
    const { key } = await KeyCaller.register(world, 50_000_000n);
    const uploads = world.app.get(Uploads, { strict: false });
    Reflect.set(uploads, 'slots', new UploadSlots(30_000, 600_000, 1));
    const beginning = `{"modelId":"ember-edit","prompt":"x","image":"data:image/png;base64,${'A'.repeat(1_200_000)}`;
    const trickling = [0, 1].map(() => begin('/v1/agent/generate', { 'x-api-key': key }, beginning));
    await expectEventually(() => incoming().length === 2);
    const cut = trickling.map(answerOf);

    const quick = await fetch(`${url}/v1/agent/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({
        modelId: 'ember-edit',
        prompt: 'blue',
        image: dataUri('image/png', await image()),
      }),
    });

    expect(quick.status).toBe(200);
    const { status, code, headers } = await Promise.race(cut);
    expect([status, code, headers.connection]).toEqual([408, 'BODY_TOO_SLOW', 'close']);
    Reflect.set(uploads, 'slots', new UploadSlots());
  });

  it('lose their room in memory when they trickle and somebody waits', async () => {
    const reader = world.app.get(BodyReader, { strict: false });
    const pool = { bytesMax: 300 * KILOBYTE, ownBytesMax: 300 * KILOBYTE };
    const tight = new BodyBudget({ strangers: pool, callers: pool }, 1);
    Reflect.set(reader, 'budget', tight);
    const trickling = Array.from({ length: 5 }, () =>
      begin('/v1/agent/chat', {}, `{"messages":[{"role":"user","content":"${'x'.repeat(59 * KILOBYTE)}`),
    );
    await expectEventually(() => tight.bytes > 290 * KILOBYTE);
    const cut = Promise.race(trickling.map(answerOf));

    const call = begin('/v1/agent/chat', {}, `{"messages":[{"role":"user","content":"${'x'.repeat(10_000)}`);
    await expectEventually(() => tight.bytes < 290 * KILOBYTE);
    call.end('"}]}');

    expect(await answerOf(call)).toMatchObject({ status: 402 });
    expect(await cut).toMatchObject({ status: 408, code: 'BODY_TOO_SLOW' });
    for (const slow of trickling) slow.destroy();
    await expectEventually(() => tight.bytes === 0);
    Reflect.set(reader, 'budget', budget);
  });
});
