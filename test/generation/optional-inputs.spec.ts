import { createHash } from 'node:crypto';

import sharp from 'sharp';

import { ContentPolicy } from '#models/providers/policy/content-policy';
import type { MediaRequest } from '#models/providers/media-provider';
import { Providers } from '#models/providers/providers';
import { KeyCaller } from '../support/caller';
import { catalogOf, filmEntry, pictureEntry } from '../support/catalogs';
import { clip, dataUri, picture } from '../references/library-callers';
import { World } from '../support/world';

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const SANDBOX = ['sandbox:image'] as const;

describe('the optional inputs of a media call', () => {
  let world: World;
  let caller: KeyCaller;
  /** The requests that reached the provider. */
  let seen: MediaRequest[];
  const media = {} as Record<'first' | 'second' | 'third' | 'white' | 'film', Buffer>;

  beforeAll(async () => {
    world = await World.start({
      MEDIA_SYNC_SECONDS: '5',
      ...catalogOf(
        [
          pictureEntry('plain', SANDBOX, { default: true }),
          pictureEntry('seeded', SANDBOX, { capabilities: { seed: true, negativePrompt: true, n: 2 } }),
          pictureEntry('edits', SANDBOX, { mode: 'i2i', capabilities: { sources: 2, mask: true } }),
          pictureEntry('edits-more', SANDBOX, { mode: 'i2i', capabilities: { sources: 3 } }),
          filmEntry('films', SANDBOX, { capabilities: { seed: true, extend: true } }),
          filmEntry('animates', SANDBOX, { mode: 'i2v', capabilities: { lastFrame: true } }),
        ],
        [],
      ),
    });
    caller = await KeyCaller.register(world, 10_000_000n);
    [media.first, media.second, media.third, media.white, media.film] = await Promise.all([
      picture('red'),
      picture('blue'),
      picture('green'),
      picture('white'),
      clip(1),
    ]);
    const provider = world.app.get(Providers, { strict: false }).media('sandbox')!;
    const submit = provider.submit.bind(provider);
    jest.spyOn(provider, 'submit').mockImplementation((request, signal) => {
      seen.push(request);
      return submit(request, signal);
    });
  });

  beforeEach(() => {
    seen = [];
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const png = (bytes: Buffer): string => dataUri('image/png', bytes);
  const send = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    world.post(path, body, { 'x-api-key': caller.key, ...headers });
  const generate = (body: object, headers?: Readonly<Record<string, string>>) =>
    send('/v1/agent/generate', { prompt: 'a fox', ...body }, headers);
  const charges = async (): Promise<number> => (await world.db.rows('select from charge')).length;
  /** The pixels of a picture with this seed. The file itself also contains its time. */
  const drawn = async (seed: number): Promise<string> => {
    const body = { prompt: 'a fox', model: 'seeded', seed, response_format: 'b64_json' };
    const { data } = (await send('/v1/agent/images/generations', body)).body;
    return digest(await sharp(Buffer.from(data[0].b64_json, 'base64')).raw().toBuffer());
  };

  it('that the route does not know are named in the answer', async () => {
    const call = (body: object) => world.post('/v1/agent/generate', body, { 'x-api-key': caller.key });
    const odd = await call({ prompt: 'x', size: '1024x1024', stylePreset: 'photo', 'ümlaut\n': 1 });
    const plain = await call({ prompt: 'x' });

    expect([odd.status, odd.headers['x-ignored']]).toEqual([200, 'size, stylePreset']);
    expect([plain.status, plain.headers['x-ignored']]).toEqual([200, undefined]);
  });

  it.each([
    ['/v1/agent/generate', { prompt: 'x' }, 'model', 'modelId'],
    ['/v1/agent/images/generations', { prompt: 'x' }, 'modelId', 'model'],
    ['/v1/agent/chat', { messages: [{ role: 'user', content: 'Hi' }] }, 'modelId', 'model'],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }, 'modelId', 'model'],
  ])(
    'name the model at %s as another route does, and are refused without a charge',
    async (path, body, odd, right) => {
      const before = await charges();
      const { status, body: answer } = await send(path, { ...body, [odd]: 'seeded' });
      expect([status, answer.error.param]).toEqual([400, odd]);
      expect(answer.error.message).toBe(`${odd} is no field of this route: the model is ${right} here.`);
      expect(await charges()).toBe(before);
    },
  );

  it.each([
    ['/v1/agent/generate', { prompt: 'x', model: null }, 'modelId'],
    ['/v1/agent/images/generations', { prompt: 'x', modelId: null }, 'model'],
  ])(
    'are empty at %s if the field of another route is null, as some clients send it',
    async (path, body, right) => {
      const { status } = await send(path, { ...body, [right]: 'seeded' });
      expect(status).toBe(200);
      expect(seen).toHaveLength(1);
    },
  );

  it('name another model beside the one of the route, and are ignored', async () => {
    const { status, headers } = await send('/v1/agent/generate', {
      prompt: 'x',
      modelId: 'seeded',
      model: 'other',
    });
    expect([status, headers['x-ignored']]).toEqual([200, 'model']);
  });

  it.each(['model_id', 'ModelID', 'MODEL'])('never hide a model in %s', async (odd) => {
    const before = await charges();
    for (const path of ['/v1/agent/generate', '/v1/agent/images/generations']) {
      const { status, body } = await send(path, { prompt: 'x', [odd]: 'seeded' });
      expect([path, status, body.error?.param]).toEqual([path, 400, odd]);
      expect(Object.values(body.error.fix ?? body.fix)).toContain('seeded');
    }
    expect(await charges()).toBe(before);
  });

  it('are refused if the address names the model, where it has no effect', async () => {
    const before = await charges();
    const { status, body } = await send('/v1/agent/generate?model=seeded', { prompt: 'x' });
    expect([status, body.error.param]).toEqual([400, 'model']);
    expect(await charges()).toBe(before);
    const named = await send('/v1/agent/generate?model=plain', { prompt: 'x', modelId: 'seeded' });
    expect(named.status).toBe(200);
  });

  it('are said by the catalog', async () => {
    const { models } = (await world.get('/v1/agent/models')).body;

    const said = Object.fromEntries(
      models.map(({ id, capabilities }: { id: string; capabilities: object }) => [id, capabilities]),
    );
    expect(said).toMatchObject({
      plain: {},
      seeded: { seed: true, negativePrompt: true, n: 2 },
      edits: { sources: 2, mask: true },
    });
    expect(said['plain']).toEqual({});
  });

  it.each([
    ['/v1/agent/generate', 'modelId'],
    ['/v1/agent/images/generations', 'model'],
  ])('reach the model from %s', async (path, name) => {
    const answer = await send(path, {
      prompt: 'a fox',
      [name]: 'seeded',
      seed: 7,
      negativePrompt: 'fog',
    });

    expect(answer.status).toBe(200);
    expect(seen).toMatchObject([{ seed: 7, negativePrompt: 'fog' }]);
  });

  it('reach a film from the videos route', async () => {
    const answer = await send('/v1/agent/videos', { prompt: 'waves', model: 'films', seed: 7, seconds: '4' });

    expect(answer.status).toBe(200);
    expect(seen).toMatchObject([{ seed: 7 }]);
  });

  it('make the same picture of the same seed, and another one of another', async () => {
    const first = await drawn(1);

    expect(await drawn(1)).toBe(first);
    expect(await drawn(2)).not.toBe(first);
  });

  it('make several pictures that differ', async () => {
    const body = { prompt: 'a fox', model: 'seeded', n: 2, response_format: 'b64_json' };
    const { data } = (await send('/v1/agent/images/generations', body)).body;
    const pixels = await Promise.all(
      data.map(async ({ b64_json: text }: { b64_json: string }) =>
        digest(await sharp(Buffer.from(text, 'base64')).raw().toBuffer()),
      ),
    );

    expect(seen).toMatchObject([{ n: 2 }]);
    expect(new Set(pixels).size).toBe(2);
  });

  it.each<[object, string, string, RegExp]>([
    [{ modelId: 'plain', seed: 1 }, 'seed', 'seeded', /plain takes no seed.*seeded/],
    [{ modelId: 'plain', negativePrompt: 'fog' }, 'negativePrompt', 'seeded', /takes no negativePrompt/],
    [
      { modelId: 'films', duration: 4, negativePrompt: 'fog' },
      'negativePrompt',
      '',
      /leave negativePrompt out/,
    ],
  ])('refuse %j at a model without it', async (body, param, other, words) => {
    const before = await charges();

    const { status, body: said } = await generate(body);

    expect([status, said.error.code, said.error.param]).toEqual([400, 'NOT_CAPABLE', param]);
    expect(said.error.message).toMatch(words);
    expect(said.fix).toEqual(
      other === ''
        ? { prompt: 'a fox', modelId: 'films', duration: 4 }
        : { prompt: 'a fox', ...body, modelId: other },
    );
    expect([await charges(), seen.length]).toEqual([before, 0]);
  });

  it('refuse more pictures than the model takes, and name one that takes them', async () => {
    const [image, one, two, three] = [media.first, media.second, media.third, media.white].map(png);
    const sources = [one, two, three];

    const refused = await generate({ modelId: 'edits', image, sources });

    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      400,
      'NOT_CAPABLE',
      'sources',
    ]);
    expect(refused.body.error.message).toMatch(/edits takes at most 2 sources.*edits-more/);
    expect((await generate({ modelId: 'edits-more', image, sources })).status).toBe(200);
  });

  it('hand over several pictures in their order, and a mask', async () => {
    const [image, one, two, mask] = [media.first, media.second, media.third, media.white].map(png);

    const answer = await generate({ modelId: 'edits', image, sources: [one, two], mask });

    expect(answer.status).toBe(200);
    const [request] = seen;
    expect((request?.sources ?? []).map(({ bytes }) => bytes)).toEqual([
      media.second.length,
      media.third.length,
    ]);
    expect(request?.mask?.kind).toBe('image');
  });

  it('hand over a last frame, and a clip to continue', async () => {
    const [image, lastFrame] = [media.first, media.second].map(png);
    const extend = dataUri('video/mp4', media.film);

    const between = await generate({ modelId: 'animates', image, lastFrame });
    const longer = await generate({ modelId: 'films', extend });

    expect([between.status, longer.status]).toEqual([200, 200]);
    expect(seen).toMatchObject([{ lastFrame: { kind: 'image' } }, { extend: { kind: 'video' } }]);
  });

  it.each([
    ['mask', { mask: 'data:image/png;base64,AAAA' }],
    ['sources[1]', {}],
    ['mask', { mask: 'http://127.0.0.1/mask.png' }],
  ])('check %s as any source', async (param, more) => {
    const before = await charges();
    const sources = param === 'mask' ? [] : [png(media.second), 'ftp://example.com/x.png'];

    const { status, body } = await generate({ modelId: 'edits', image: png(media.first), sources, ...more });

    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body.error.param).toBe(param);
    expect([await charges(), seen.length]).toEqual([before, 0]);
  });

  it('screen each further picture', async () => {
    const policy = world.app.get(ContentPolicy, { strict: false });
    const blue = media.second.length;
    const screen = jest
      .spyOn(policy, 'screenImage')
      .mockImplementation((bytes) =>
        Promise.resolve(bytes.length === blue ? { allowed: false, category: 'violence' } : { allowed: true }),
      );

    const { status, body } = await generate({
      modelId: 'edits',
      image: png(media.first),
      sources: [png(media.third), png(media.second)],
    });
    screen.mockRestore();

    expect([status, body.error.code]).toEqual([400, 'POLICY_BLOCKED']);
    expect(seen).toEqual([]);
  });

  it('may be references of the caller, in any order with other pictures', async () => {
    const headers = { 'x-api-key': caller.key };
    const stored = [];
    for (const bytes of [media.second, media.white]) {
      const answer = await world.post('/v1/agent/references', { media: png(bytes) }, headers);
      stored.push(answer.body.asset.id);
    }
    const [second, mask] = stored;

    const { status, body } = await generate({
      modelId: 'edits',
      image: png(media.first),
      sources: [second, png(media.third)],
      mask,
    });

    expect(status).toBe(200);
    expect(body.references).toEqual([
      { id: second, input: 'sources' },
      { id: mask, input: 'mask' },
    ]);
    expect(seen[0]?.sources?.map(({ bytes }) => bytes)).toEqual([media.second.length, media.third.length]);
    expect(seen[0]?.mask?.bytes).toBe(media.white.length);
  });

  it("may not be somebody else's references, nor of another kind", async () => {
    const neighbour = await KeyCaller.register(world, 1_000_000n);
    const headers = { 'x-api-key': neighbour.key };
    const theirs = await world.post('/v1/agent/references', { media: png(media.second) }, headers);
    const film = await world.post(
      '/v1/agent/references',
      { media: dataUri('video/mp4', media.film) },
      { 'x-api-key': caller.key },
    );
    const image = png(media.first);
    const before = await charges();

    const stolen = await generate({ modelId: 'edits', image, mask: theirs.body.asset.id });
    const moving = await generate({ modelId: 'edits', image, mask: film.body.asset.id });
    const dry = await generate({ modelId: 'edits', image, mask: theirs.body.asset.id, dryRun: true });

    expect([stolen.status, stolen.body.error.param]).toEqual([404, 'mask']);
    expect([moving.status, moving.body.error.param]).toEqual([400, 'mask']);
    expect(dry.status).toBe(404);
    expect([await charges(), seen.length]).toEqual([before, 0]);
  });

  it('make another call of the same idempotency key', async () => {
    const key = { 'idempotency-key': `inputs-${digest(media.first).slice(0, 12)}` };
    const first = await generate({ modelId: 'seeded', seed: 1 }, key);
    const same = await generate({ modelId: 'seeded', seed: 1 }, key);
    const other = await generate({ modelId: 'seeded', seed: 2 }, key);

    expect(same.body).toEqual(first.body);
    expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect(seen).toHaveLength(1);
  });

  it('are checked by a dry run and by a quote, which cost the same', async () => {
    const body = { prompt: 'a fox', modelId: 'plain', seed: 1 };

    const dry = await generate({ ...body, dryRun: true });
    const quote = await send('/v1/agent/quote?path=/v1/agent/generate', body);

    expect([dry.body.error.code, quote.body.error.code]).toEqual(['NOT_CAPABLE', 'NOT_CAPABLE']);
  });
});
