import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
} from 'mediabunny';
import OpenAI, { toFile } from 'openai';

import { silentMp3, tone, wavOf } from '#models/providers/sandbox/tone';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { FakeOpenai } from '../support/fake-openai';
import { forgetRoutes } from '../support/routes';
import { World } from '../support/world';

const PATH = '/v1/audio/transcriptions';
const FLOOR = 4_546;
/** 0.36 USD an hour, with the markup 20/13. */
const priceOf = (seconds: number): number =>
  Math.max(FLOOR, Math.ceil((seconds * 360_000 * 20) / (13 * 3_600)));

const wav = (seconds: number): Buffer => wavOf(tone(seconds, 440));

/** Two channels, and 312 samples to skip. */
const OPUS_HEAD = Buffer.concat([
  Buffer.from('OpusHead', 'latin1'),
  Buffer.from([1, 2, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0]),
]);

/** A file whose packets hold 20 ms each, also if its container states another duration. */
const packed = async (format: OutputFormat, codec: 'opus' | 'aac', packets: number, claimed: number) => {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source);
  await output.start();
  const [rate, description, data] =
    codec === 'opus'
      ? ([48_000, OPUS_HEAD, [0xf8, 0xff, 0xfe]] as const)
      : ([44_100, new Uint8Array([0x12, 0x10]), [0x21, 0x10, 0x04]] as const);
  const meta = {
    decoderConfig: {
      codec: codec === 'opus' ? 'opus' : 'mp4a.40.2',
      numberOfChannels: 2,
      sampleRate: rate,
      description,
    },
  };
  for (let at = 0; at < packets; at += 1) {
    await source.add(new EncodedPacket(new Uint8Array(data), 'key', at * claimed, claimed), meta);
  }
  await output.finalize();
  return Buffer.from(target.buffer!);
};

/** The header of Xing and LAME is a first frame without sound. */
const claimingTenFrames = (file: Buffer): Buffer => {
  const header = Buffer.from(file.subarray(0, 96));
  header.write('Xing', 13, 'latin1');
  header.writeUInt32BE(1, 17);
  header.writeUInt32BE(10, 21);
  return Buffer.concat([header, file]);
};

const form = (file: Buffer | undefined, fields: Readonly<Record<string, string>> = {}): FormData => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  if (file !== undefined) body.append('file', new Blob([new Uint8Array(file)]), 'recording.bin');
  return body;
};

describe('transcriptions', () => {
  let world: World;
  let url: string;
  let caller: KeyCaller;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
    caller = await KeyCaller.register(world, 20_000_000n);
  });

  afterEach(async () => {
    await world.expectBooksToBalance();
    // Each file is deleted with the end of its call.
    await expectEventually(async () => (await spooled()).length === 0);
  });
  afterAll(() => world.stop());

  const spooled = (): Promise<string[]> =>
    readdir(join(world.settings.dataDir, 'forms')).catch(() => [] as string[]);
  const send = async (body: FormData, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${url}${PATH}`, {
      method: 'POST',
      body,
      headers: { 'x-api-key': caller.key, ...headers },
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  };
  const balance = async (): Promise<number> =>
    (await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body.balanceMicro;

  it('come from the stock client of OpenAI, unpatched', async () => {
    const client = new OpenAI({ apiKey: caller.key, baseURL: `${url}/v1` });
    const file = await toFile(wav(2), 'speech.wav');
    const answer = await client.audio.transcriptions.create({ file, model: 'scribe' });
    const long = await client.audio.transcriptions.create({
      file: await toFile(wav(2), 'speech.wav'),
      model: 'scribe',
      response_format: 'verbose_json',
      language: 'en',
    });
    const text = await client.audio.transcriptions.create({
      file: await toFile(wav(2), 'speech.wav'),
      model: 'scribe',
      response_format: 'text',
    });

    expect(answer.text).toBe('[sandbox] A recording of 2.0 seconds.');
    expect(long).toMatchObject({ language: 'en', duration: 2, segments: [{ start: 0, end: 2 }] });
    expect(text).toBe('[sandbox] A recording of 2.0 seconds.\n');
  });

  it.each([
    ['WAV', () => wav(90), 90],
    ['MP3', () => silentMp3(90), 90],
    ['MP3 that claims ten frames', () => claimingTenFrames(silentMp3(90)), 90],
    ['a part of a second', () => wav(60.01), 61],
    ['Opus in Ogg', () => packed(new OggOutputFormat(), 'opus', 3_000, 0.02), 60],
    ['AAC in M4A', () => packed(new Mp4OutputFormat(), 'aac', 3_000, 1_024 / 44_100), 70],
    ['a short one at the least price', () => wav(1), 1],
  ] as const)('cost their seconds: %s', async (_, make, seconds) => {
    const before = await balance();
    const { status, headers } = await send(form(await make()));

    expect([status, headers.get('x-charge-micro')]).toEqual([200, String(priceOf(seconds))]);
    expect(before - (await balance())).toBe(priceOf(seconds));
  });

  it.each([
    ['Opus', 'opus', 60],
    ['AAC', 'aac', 70],
  ] as const)('cost what is in the file, and not what it claims: %s', async (_, codec, seconds) => {
    const file = await packed(new Mp4OutputFormat(), codec, 3_000, 0.000_1);

    expect((await send(form(file))).headers.get('x-charge-micro')).toBe(String(priceOf(seconds)));
  });

  it.each([
    ['a text', Buffer.from('These are words.'), {}, 415, 'UNSUPPORTED_MEDIA', 'file'],
    ['half a header', wav(1).subarray(0, 30), {}, 415, 'UNSUPPORTED_MEDIA', 'file'],
    ['an empty file', Buffer.alloc(0), {}, 415, 'UNSUPPORTED_MEDIA', 'file'],
    ['no file', undefined, {}, 400, 'INVALID_REQUEST', 'file'],
    ['a text as the file', undefined, { file: 'sha256:00' }, 400, 'INVALID_REQUEST', 'file'],
    ['a model of speech', wav(1), { model: 'echo-voice' }, 400, 'UNKNOWN_MODEL', 'model'],
    ['a format that is none', wav(1), { response_format: 'pdf' }, 400, 'INVALID_REQUEST', 'response_format'],
  ] as const)('refuse %s unpaid', async (_, file, fields, status, code, param) => {
    const before = await balance();
    const answer = await send(form(file, fields));

    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, param]);
    expect(await balance()).toBe(before);
  });

  it('take a file of 25 MB, and not one byte more', async () => {
    const most = Buffer.alloc(25 * 1024 * 1024);
    wav(800).copy(most); // The other bytes do not belong to the recording.

    expect((await send(form(most))).status).toBe(200);
    expect(await send(form(Buffer.concat([most, Buffer.alloc(1)])))).toMatchObject({
      status: 413,
      body: { error: { code: 'PAYLOAD_TOO_LARGE', param: 'file' } },
    });
  });

  it('refuse a file above 25 MB before it is read', async () => {
    const answer = await send(form(Buffer.alloc(26 * 1024 * 1024))).catch((error: unknown) => error);

    expect(answer).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
  });

  it('refuse callers without a credential, without money, or with a payment of their own', async () => {
    const poor = await KeyCaller.register(world, 0n);
    const unknown = await fetch(`${url}${PATH}`, { method: 'POST', body: form(wav(1)) });
    const unpaid = await send(form(wav(1)), { 'x-api-key': poor.key });
    const x402 = await new WalletCaller().payingFetch()(`${url}${PATH}`, {
      method: 'POST',
      body: form(wav(1)),
    });

    expect([unknown.status, unpaid.status, x402.status]).toEqual([401, 402, 401]);
  });

  it('spend from a wallet', async () => {
    const wallet = await new WalletCaller().fund(world, 1_000_000n);
    const answer = await fetch(`${url}${PATH}`, {
      method: 'POST',
      body: form(wav(90)),
      headers: { 'sign-in-with-x': await wallet.signIn(world) },
    });

    expect(answer.status).toBe(200);
    const { body } = await world.get(`/v1/agent/x402/balance/${wallet.wallet}`);
    expect(body.balanceMicro).toBe(1_000_000 - priceOf(90));
  });

  it('are the same for the same key, whatever the boundary of the form is, and another file is another call', async () => {
    const mark = { 'idempotency-key': 'one-recording-of-mine' };
    const first = await send(form(wav(3)), mark);
    const before = await balance();
    const again = await send(form(wav(3)), mark);
    const other = await send(form(wav(4)), mark);

    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
    expect(other.body.error.code).toBe('IDEMPOTENCY_MISMATCH');
    expect(await balance()).toBe(before);
  });

  it('can be rehearsed, and capped', async () => {
    const before = await balance();
    const rehearsed = await send(form(wav(90), { dryRun: 'true' }));
    const capped = await send(form(wav(90)), { 'x-max-price-micro': String(priceOf(90) - 1) });

    expect(rehearsed.body).toMatchObject({ dryRun: true, priceMicro: priceOf(90) });
    expect(capped.body.error.code).toBe('PRICE_ABOVE_MAX');
    expect(await balance()).toBe(before);
  });
});

describe('transcriptions of OpenAI', () => {
  let world: World;
  let url: string;
  let openai: FakeOpenai;
  let caller: KeyCaller;

  beforeAll(async () => {
    openai = await FakeOpenai.start();
    world = await World.start({ ...openai.env, ALLOW_SANDBOX_MIX: 'true' });
    url = await world.listen();
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

  const send = (fields: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}${PATH}`, {
      method: 'POST',
      body: form(wav(1), fields),
      headers: { 'x-api-key': caller.key },
    });
  const balance = async (): Promise<number> =>
    (await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body.balanceMicro;

  it('are asked for in its own words, and show none of its own', async () => {
    const answer = await send({ language: 'de', response_format: 'verbose_json' });

    expect(await answer.json()).toEqual({
      text: 'The lamps are lit.',
      language: 'english',
      duration: 1,
      segments: [{ start: 0, end: 1, text: 'The lamps are lit.' }],
    });
    const sent = openai.recordings.at(-1)!;
    for (const part of ['whisper-1', 'name="language"\r\n\r\nde', 'verbose_json', 'recording.wav', 'RIFF']) {
      expect(sent).toContain(part);
    }
  });

  it.each([
    ['refuses', 400, 502],
    ['breaks', 500, 503],
    ['loses the answer', 'drop reply', 503],
    ['answers a page', { says: { bytes: Buffer.from('<html>'), type: 'text/html' } }, 503],
  ] as const)('cost nothing when it %s', async (_, fault, status) => {
    const before = await balance();
    openai.failNext('transcription', fault);
    const answer = await send();

    expect([answer.status, answer.headers.get('x-charge-state')]).toEqual([status, 'released']);
    expect(await answer.text()).not.toMatch(/openai|whisper|the-vendors-own-words/i);
    expect(await balance()).toBe(before);
  });
});
