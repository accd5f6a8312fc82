import { readFileSync } from 'node:fs';

import { PaidRoutes } from '#money/billing/calls/paid-routes';
import { tone, wavOf } from '#models/providers/sandbox/tone';
import { type Sold, routeFixtureOf } from '../contract/route-fixtures';
import { KeyCaller } from '../support/caller';
import { catalogOf, filmEntry, pictureEntry, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { FakeFal } from '../support/fake-fal';
import { FakeOpenai } from '../support/fake-openai';
import { filmOf, pictureOf } from '../support/media-files';
import { editList, withBox } from '../support/recordings';
import { World } from '../support/world';

const HERE = 'test/adversary/sold-quantities.spec.ts';
const FREE_TEXT = 'test/adversary/free-text.spec.ts';
const SEVERAL = 'test/generation/several.spec.ts';
const SPEECH = 'test/audio/speech.spec.ts';
const TIERS = 'test/adversary/prices-and-tiers.spec.ts';

const MEDIA: Sold = {
  seconds: {
    caller: [HERE, 'a clip whose container claims one second'],
    vendor: [HERE, 'of a film: $seconds seconds at'],
  },
  pixels: {
    caller: [HERE, 'fields of a vendor change nothing that is asked for'],
    vendor: [HERE, 'of a picture: %s gets'],
  },
  pieces: {
    caller: [HERE, 'fields of a vendor change nothing that is asked for'],
    vendor: [SEVERAL, 'a vendor that delivers fewer after the charge'],
  },
};
const TOKENS: Sold = {
  'tokens of the prompt': {
    caller: [FREE_TEXT, 'is not free through what is left out of the count'],
    vendor: ['test/contract/text-vendor-money.spec.ts', "'less than none'"],
  },
  'tokens of the answer': {
    caller: [FREE_TEXT, 'is not free through hanging up'],
    vendor: ['src/work/chat/completions/meter.spec.ts', 'never gives words away'],
  },
  images: {
    caller: [FREE_TEXT, 'an image is set aside for at what the model may count it as'],
    vendor: ['test/contract/text-vendor-money.spec.ts', "'far too many'"],
  },
};

/**
 * The quantities that each pricer of the service counts. The pricer of an added route has them in the file
 * `<name>.paid-route.ts`, and fails here until it has them.
 */
const SOLD: Readonly<Record<string, Sold>> = {
  GeneratePricer: MEDIA,
  ImagesPricer: { pixels: MEDIA['pixels']!, pieces: MEDIA['pieces']! },
  VideosPricer: { seconds: MEDIA['seconds']!, pixels: MEDIA['pixels']! },
  ChatPricer: {
    'characters and max_tokens': {
      caller: [HERE, 'a chat sends only counted text'],
      vendor: [HERE, 'a chat costs the same, whatever its vendor counts'],
    },
  },
  CompletionsPricer: TOKENS,
  ResponsesPricer: TOKENS,
  MessagesPricer: TOKENS,
  GenerateContentPricer: TOKENS,
  SpeechPricer: {
    characters: {
      caller: [SPEECH, 'a character of two units as one'],
      vendor: [SPEECH, "'answers nothing'"],
    },
  },
  TranscriptionPricer: {
    'seconds of a recording': {
      caller: ['test/adversary/lying-recordings.spec.ts', 'cost what any player plays'],
      vendor: [HERE, 'a transcript costs the measured seconds'],
    },
  },
  TopUpPricer: {
    dollars: {
      caller: [TIERS, 'is credited what it has paid, whichever amount the address names'],
      vendor: ['test/adversary/lying-services.spec.ts', 'give nothing to those who have not paid'],
    },
  },
};

const FUNDS = 1_000_000_000n;
const MARKUP = 20 / 13;
const FILM_SECOND = 100_000;
const SIZES = ['1024x1024', '1536x1024'];

const AUDIO = [
  {
    id: 'hearing',
    name: 'Hearing',
    kind: 'transcription',
    default: true,
    usdPerHour: '0.36',
    routes: [{ provider: 'openai', model: 'whisper-1' }],
  },
];

const CATALOG = catalogOf(
  [
    pictureEntry('tier', ['fal:someone/tier'], { resolutions: ['1K', '2K'], aspectRatios: ['1:1', '16:9'] }),
    pictureEntry('size', ['fal:someone/size'], { imageSizes: SIZES }),
    filmEntry('film', ['fal:someone/film'], { resolutions: ['720p', '480p', '1080p'], durations: [4, 8] }),
    filmEntry('puppet', ['fal:someone/puppet'], { mode: 'motion', resolutions: [], durations: [4, 8] }),
  ],
  [textEntry('words', ['openai:gpt-4o-mini'])],
  AUDIO,
);

const dataUri = (mime: string, bytes: Buffer): string => `data:${mime};base64,${bytes.toString('base64')}`;

describe('the quantities that are sold', () => {
  let fal: FakeFal;
  let openai: FakeOpenai;
  let world: World;
  let url: string;
  let caller: KeyCaller;
  let key: Readonly<Record<string, string>>;

  beforeAll(async () => {
    [fal, openai] = await Promise.all([FakeFal.start(), FakeOpenai.start()]);
    fal.words = ['completed'];
    world = await World.start({
      ...fal.env,
      ...openai.env,
      ...CATALOG,
      ALLOW_SANDBOX_MIX: 'true',
      LIVE_COSTS: 'false',
      FETCH_ALLOW_HOSTS: fal.host,
    });
    url = await world.listen();
    caller = await KeyCaller.register(world, FUNDS);
    key = { 'x-api-key': caller.key };
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await Promise.all([fal.stop(), openai.stop()]);
  });

  const balance = async (): Promise<number> => (await world.get('/v1/agent/balance', key)).body.balanceMicro;
  const generate = (body: object) => world.post('/v1/agent/generate', { prompt: 'x', ...body }, key);
  /** The end of the job, and what its call has cost after that. */
  const bought = async (body: object) => {
    const before = await balance();
    const answer = await generate(body);
    let job = answer.body as {
      readonly status?: string;
      readonly poll?: string;
      readonly chargeState?: string;
    };
    const { poll } = job;
    if (poll !== undefined)
      await expectEventually(async () => {
        job = (await world.get(poll)).body;
        return job.status === 'done' || job.chargeState === 'refunded';
      });
    return { status: job.status ?? 'failed', cost: before - (await balance()) };
  };

  it('each have a test in which the caller lies, and one in which the vendor does', () => {
    const routes = world.app.get(PaidRoutes, { strict: false });
    const pricerOf = (path: string): string => routes.at(path)!.parts.pricer.constructor.name;
    const pricers = new Set(routes.paths.map(pricerOf));
    const added = routes.paths.flatMap((path) => {
      const sold = SOLD[pricerOf(path)] === undefined ? routeFixtureOf(path)?.sold : undefined;
      return sold === undefined ? [] : [[pricerOf(path), sold] as const];
    });
    const all: Readonly<Record<string, Sold>> = { ...SOLD, ...Object.fromEntries(added) };
    const proofs = Object.values(all).flatMap((sold) =>
      Object.values(sold).flatMap(({ caller, vendor }) =>
        vendor === undefined ? [caller] : [caller, vendor],
      ),
    );

    expect(Object.keys(all).toSorted()).toEqual([...pricers].toSorted());
    expect(Object.values(all).filter((sold) => Object.keys(sold).length === 0)).toEqual([]);
    const own = `it${readFileSync(HERE, 'utf8').split('\n  it').slice(1).join('\n  it')}`;
    for (const [file, words] of proofs) {
      const text = file === HERE ? own : readFileSync(file, 'utf8');
      expect({ file, words, exists: text.includes(words) }).toEqual({ file, words, exists: true });
    }
  });

  it.each([
    { seconds: 4, width: 1_280, height: 720, sold: { duration: 8 }, status: 'failed' },
    { seconds: 7, width: 1_280, height: 720, sold: { duration: 8 }, status: 'failed' },
    { seconds: 8, width: 854, height: 480, sold: { duration: 8 }, status: 'failed' },
    { seconds: 4, width: 1_280, height: 720, sold: { resolution: '1080p' }, status: 'failed' },
    { seconds: 4, width: 854, height: 480, sold: { resolution: '480p' }, status: 'done' },
    { seconds: 4, width: 1_280, height: 704, sold: {}, status: 'done' },
    { seconds: 8, width: 1_280, height: 720, sold: { duration: 8 }, status: 'done' },
    { seconds: 12, width: 1_920, height: 1_080, sold: { duration: 8 }, status: 'done' },
  ])(
    'of a film: $seconds seconds at $width by $height, sold as $sold, are $status',
    async ({ sold, status, ...shape }) => {
      fal.files = { ...fal.files, mp4: await filmOf(shape) };
      const { duration = 4 } = sold;

      expect(await bought({ modelId: 'film', ...sold, duration })).toEqual({
        status,
        cost: status === 'done' ? Math.ceil(duration * FILM_SECOND * MARKUP) : 0,
      });
    },
  );

  it.each([
    ['2K', { modelId: 'tier', resolution: '2K' }, 1_024, 1_024, 'failed'],
    ['1K', { modelId: 'tier', resolution: '1K' }, 512, 512, 'failed'],
    ['1536x1024', { modelId: 'size', imageSize: '1536x1024' }, 1_024, 1_024, 'failed'],
    ['2K', { modelId: 'tier', resolution: '2K' }, 2_048, 2_048, 'done'],
    ['1K, 16:9', { modelId: 'tier', aspectRatio: '16:9' }, 1_024, 576, 'done'],
    ['1536x1024', { modelId: 'size', imageSize: '1536x1024' }, 1_536, 1_024, 'done'],
    ['1024x1024', { modelId: 'size' }, 4_096, 4_096, 'done'],
  ] as const)('of a picture: %s gets %j with %d by %d, and is %s', async (_, sold, width, height, status) => {
    fal.files = { ...fal.files, png: await pictureOf(width, height) };

    expect(await bought(sold)).toEqual({ status, cost: status === 'done' ? Math.ceil(20_000 * MARKUP) : 0 });
  });

  it('fields of a vendor change nothing that is asked for', async () => {
    fal.files = {
      png: await pictureOf(1_024, 1_024),
      mp4: await filmOf({ seconds: 4, width: 1_280, height: 720 }),
    };
    const foreign = {
      seconds: '8',
      num_frames: 999,
      num_images: 4,
      width: 4_096,
      height: 4_096,
      image_size: { width: 4_096, height: 4_096 },
      max_images: 4,
      input: { duration: '8' },
    };
    const picture = await bought({ modelId: 'tier', ...foreign });
    const asked = fal.accepted.at(-1)!.input;
    const film = await bought({ modelId: 'film', duration: 4, ...foreign });

    expect([picture.status, film.status]).toEqual(['done', 'done']);
    expect(asked).toEqual({ prompt: 'x', image_size: { width: 1_024, height: 1_024 }, num_images: 1 });
    expect(fal.accepted.at(-1)!.input).toMatchObject({ duration: '4', resolution: '720p' });
    for (const name of Object.keys(foreign)) expect(fal.accepted.at(-1)!.input).not.toHaveProperty(name);
  });

  it.each([
    ['by an edit list', (film: Buffer) => withBox(film, ['moov', 'trak'], editList(1_000))],
    [
      'in each of its heads',
      (film: Buffer) => {
        const liar = Buffer.from(film);
        for (const [box, at] of [
          ['mvhd', 20],
          ['tkhd', 24],
          ['mdhd', 20],
        ] as const)
          liar.writeUInt32BE(1, liar.indexOf(box, 0, 'latin1') + at);
        return liar;
      },
    ],
  ])('a clip whose container claims one second %s is billed by its frames', async (_, lie) => {
    const before = await balance();
    const video = dataUri('video/mp4', lie(await filmOf({ seconds: 8, width: 64, height: 64 })));
    const image = dataUri('image/png', await pictureOf(64, 64));
    const { status, body } = await generate({ modelId: 'puppet', duration: 4, image, video });

    expect([status, body.error?.param]).toEqual([400, 'video']);
    expect(body.error.message).toMatch(/is 8\.\d seconds long, and duration bills 4/);
    expect(await balance()).toBe(before);
  });

  it.each([
    [2, 'done'],
    [1, 'failed'],
  ])('a film that follows a clip of 2 seconds is sold with its length: %d is %s', async (seconds, status) => {
    const video = dataUri('video/mp4', await filmOf({ seconds: 2, width: 64, height: 64 }));
    const image = dataUri('image/png', await pictureOf(64, 64));
    fal.files = { ...fal.files, mp4: await filmOf({ seconds, width: 64, height: 64 }) };

    expect((await bought({ modelId: 'puppet', duration: 4, image, video })).status).toBe(status);
  });

  const chat = { messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 20 };

  it('a chat sends only counted text, and asks for no more tokens than it pays', async () => {
    const foreign = { n: 8, best_of: 8, max_completion_tokens: 8_000, suffix: 'y'.repeat(50), tools: [] };
    const plain = await world.post('/v1/agent/chat', chat, key);
    const { status, headers } = await world.post('/v1/agent/chat', { ...chat, ...foreign }, key);
    const asked = openai.completions.at(-1)!;

    expect(headers['x-charge-micro'] ?? plain.headers['x-charge-micro']).toBe(
      plain.headers['x-charge-micro'],
    );
    expect([status, asked['messages'], asked['n'], asked['suffix']]).toEqual([
      200,
      chat.messages,
      undefined,
      undefined,
    ]);
    expect(asked['max_completion_tokens'] ?? asked['max_tokens']).toBe(20);
  });

  it.each([0, 1, 900_000_000])(
    'a chat costs the same, whatever its vendor counts: %d',
    async (completion_tokens) => {
      const honest = await world.post('/v1/agent/chat', chat, key);
      openai.failNext('chat', {
        says: {
          json: {
            choices: [{ message: { role: 'assistant', content: 'Well said.' } }],
            usage: { prompt_tokens: completion_tokens, completion_tokens },
          },
        },
      });
      const { status, headers } = await world.post('/v1/agent/chat', chat, key);

      expect([status, headers['x-charge-micro']]).toEqual([200, honest.headers['x-charge-micro']]);
    },
  );

  it.each([0, 1, 36_000])(
    'a transcript costs the measured seconds, not the %d of its vendor',
    async (duration) => {
      openai.failNext('transcription', {
        says: { json: { text: 'Well said.', language: 'english', duration } },
      });
      const before = await balance();
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(wavOf(tone(60, 440)))]), 'recording.wav');
      body.append('response_format', 'verbose_json');
      const { status } = await fetch(`${url}/v1/audio/transcriptions`, {
        method: 'POST',
        body,
        headers: key,
      });

      expect(status).toBe(200);
      expect(before - (await balance())).toBe(Math.ceil((60 * 360_000 * 20) / (13 * 3_600)));
    },
  );
});
