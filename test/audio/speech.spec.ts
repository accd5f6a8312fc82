import OpenAI from 'openai';

import { KeyCaller } from '../support/caller';
import { FakeOpenai } from '../support/fake-openai';
import { forgetRoutes } from '../support/routes';
import { World } from '../support/world';

const PATH = '/v1/audio/speech';
/** The least price of a medium. */
const FLOOR = 4_546;
/** 15 USD for a million characters, with the markup 20/13. */
const priceOf = (chars: number): number =>
  Math.max(FLOOR, Number((BigInt(chars) * 15_000_000n * 20n + 12_999_999n) / 13_000_000n));

describe('speech', () => {
  let world: World;
  let url: string;
  let caller: KeyCaller;

  beforeAll(async () => {
    world = await World.start({ POLICY: 'rules' });
    url = await world.listen();
    caller = await KeyCaller.register(world, 10_000_000n);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const speak = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    world.app.inject({
      method: 'POST',
      url: PATH,
      headers: { 'content-type': 'application/json', 'x-api-key': caller.key, ...headers },
      payload: JSON.stringify({ input: 'The lamps are lit.', voice: 'alloy', ...body }),
    });
  const balance = async (): Promise<number> =>
    (await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body.balanceMicro;

  it('comes from the stock client of OpenAI, unpatched', async () => {
    const client = new OpenAI({ apiKey: caller.key, baseURL: `${url}/v1` });
    const answer = await client.audio.speech.create({
      model: 'echo-voice',
      voice: 'nova',
      input: 'The lamps are lit.',
      response_format: 'wav',
    });
    const file = Buffer.from(await answer.arrayBuffer());

    expect(answer.headers.get('content-type')).toBe('audio/wav');
    expect(file.subarray(0, 4).toString()).toBe('RIFF');
    expect(file.readUInt32LE(40)).toBe(file.length - 44);
  });

  it('is a file that a player knows, without a format as well', async () => {
    const { statusCode, headers, rawPayload } = await speak({});

    expect([statusCode, headers['content-type'], headers['x-charge-state']]).toEqual([
      200,
      'audio/mpeg',
      'charged',
    ]);
    expect(rawPayload.readUInt16BE(0)).toBe(0xff_f3);
  });

  it.each([
    ['a short text at the least price', 'Hello.', 6],
    ['a long one by its characters', 'a'.repeat(1_001), 1_001],
    ['a character of two units as one', '🏮'.repeat(1_001), 1_001],
  ])('costs %s', async (_, input, chars) => {
    const before = await balance();
    const quoted = await world.post(`/v1/agent/quote?path=${PATH}`, { input });
    const model = await world.post('/v1/agent/quote', { modelId: 'echo-voice', prompt: input });
    const { headers } = await speak({ input, quoteId: quoted.body.quoteId });

    const price = priceOf(chars);
    expect([quoted.body.priceMicro, model.body.priceMicro]).toEqual([price, price]);
    expect(headers['x-charge-micro']).toBe(String(price));
    expect(before - (await balance())).toBe(price);
  });

  it('is the same file for the same key, paid once', async () => {
    const mark = { 'idempotency-key': 'one-speech-of-mine' };
    const first = await speak({ response_format: 'wav' }, mark);
    const before = await balance();
    const again = await speak({ response_format: 'wav' }, mark);
    const other = await speak({ response_format: 'pcm' }, mark);

    expect([again.headers['idempotent-replayed'], again.headers['content-type']]).toEqual([
      'true',
      'audio/wav',
    ]);
    expect(again.rawPayload.equals(first.rawPayload)).toBe(true);
    expect(await balance()).toBe(before);
    expect(other.json().error.code).toBe('IDEMPOTENCY_MISMATCH');
  });

  it('is kept unreadable, and not as text', async () => {
    const { headers } = await speak({ response_format: 'wav', input: 'A word of mine.' });
    const row = await world.db.one<{ answer: Buffer }>('select answer from replay where charge_id = $1', [
      headers['x-charge-id'],
    ]);

    expect(row!.answer.length).toBeGreaterThan(1_000);
    expect(row!.answer.includes('UklGR')).toBe(false); // The beginning `RIFF` of the file, in base64.
  });

  it.each([
    [{ model: 'echo' }, 400, 'UNKNOWN_MODEL', 'model'],
    [{ model: 'ember-image' }, 400, 'UNKNOWN_MODEL', 'model'],
    [{ voice: 'stentor' }, 400, 'INVALID_REQUEST', 'voice'],
    [{ response_format: 'opus' }, 400, 'INVALID_REQUEST', 'response_format'], // The sandbox has no encoder.
    [{ response_format: 'midi' }, 400, 'INVALID_REQUEST', 'response_format'],
    [{ speed: 5 }, 400, 'INVALID_REQUEST', 'speed'],
    [{ input: '' }, 400, 'INVALID_REQUEST', 'input'],
    [{ input: 'a'.repeat(4_097) }, 400, 'INVALID_REQUEST', 'input'],
    [{ input: 'a'.repeat(2_000), speed: 0.25, response_format: 'wav' }, 400, 'INVALID_REQUEST', 'input'],
  ])('refuses %j unpaid', async (body, status, code, param) => {
    const before = await balance();
    const answer = await speak(body);

    expect([answer.statusCode, answer.json().error.code, answer.json().error.param]).toEqual([
      status,
      code,
      param,
    ]);
    expect(await balance()).toBe(before);
  });

  it('is not for keys that may do other things only', async () => {
    const images = await KeyCaller.register(world, 1_000_000n, { scopes: { routes: ['image'] } });
    const audio = await KeyCaller.register(world, 1_000_000n, { scopes: { routes: ['audio'] } });

    expect((await speak({}, { 'x-api-key': images.key })).statusCode).toBe(403);
    expect((await speak({}, { 'x-api-key': audio.key })).statusCode).toBe(200);
  });

  it('is listed with its prices', async () => {
    const { audioModels } = (await world.get('/v1/agent/models')).body;
    const { pricing } = (await world.get('/v1/agent/manifest.json')).body;

    expect(audioModels[0]).toMatchObject({
      id: 'echo-voice',
      kind: 'speech',
      formats: ['mp3', 'wav', 'pcm'],
      pricing: { unit: 'million_characters', priceMicro: 23_076_924, leastMicro: FLOOR },
    });
    expect(pricing.audioPrices[0]).toMatchObject({ id: 'echo-voice', priceMicro: 23_076_924 });
    const { data } = (await world.get('/v1/models')).body;
    expect(data.map(({ id }: { id: string }) => id)).toContain('echo-voice');
  });

  it('takes nothing when the model refuses', async () => {
    const before = await balance();
    const { statusCode, headers } = await speak({ input: 'Say it. [[reject]]' });

    expect([statusCode, headers['x-charge-state']]).toEqual([502, 'released']);
    expect(await balance()).toBe(before);
  });
});

describe('speech of OpenAI', () => {
  let world: World;
  let openai: FakeOpenai;
  let caller: KeyCaller;

  beforeAll(async () => {
    openai = await FakeOpenai.start();
    world = await World.start({ ...openai.env, ALLOW_SANDBOX_MIX: 'true' });
    caller = await KeyCaller.register(world, 10_000_000n);
  });

  afterEach(async () => {
    openai.forgiveAll();
    forgetRoutes(world);
    await world.expectBooksToBalance();
  });
  afterAll(async () => {
    await world.stop();
    await openai.stop();
  });

  const speak = (body: object = {}) =>
    world.post(PATH, { input: 'The lamps are lit.', ...body }, { 'x-api-key': caller.key });
  const balance = async (): Promise<number> =>
    (await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body.balanceMicro;

  it('is asked for in its own words, and noted with its cost', async () => {
    const { status } = await speak({ voice: 'onyx', response_format: 'opus', speed: 1.5 });

    expect(status).toBe(200);
    expect(openai.speeches.at(-1)).toEqual({
      model: 'tts-1',
      input: 'The lamps are lit.',
      voice: 'onyx',
      response_format: 'opus',
      speed: 1.5,
    });
  });

  /** The service also asks for the list of models, at any time. */
  const speechCalls = (): number => openai.seen.filter(({ path }) => path.endsWith('/speech')).length;

  it.each([
    ['refuses', 400, 502],
    ['has no room', 429, 503],
    ['breaks', 500, 503],
    ['cuts the line before', 'reset', 503],
    ['loses the answer', 'drop reply', 503],
    ['answers a page', { says: { bytes: Buffer.from('<html>'), type: 'text/html' } }, 503],
    ['answers another form', { says: { bytes: Buffer.from('OggS....'), type: 'audio/mpeg' } }, 503],
    ['answers nothing', { says: { bytes: Buffer.alloc(0), type: 'audio/mpeg' } }, 503],
  ] as const)('costs nothing when it %s', async (_, fault, status) => {
    const before = await balance();
    const asked = speechCalls();
    openai.failNext('speech', fault);
    const answer = await speak();

    expect([answer.status, answer.headers['x-charge-state']]).toEqual([status, 'released']);
    expect(JSON.stringify(answer.body)).not.toMatch(/openai|tts-1|the-vendors-own-words/i);
    expect(await balance()).toBe(before);
    // No other route may repeat work that this vendor may have done.
    expect(speechCalls() - asked).toBe(1);
  });
});
