import { Readable } from 'node:stream';

import type { MediaInput, MediaProvider, MediaRequest } from '#models/providers/media-provider';
import { Providers } from '#models/providers/providers';
import {
  NotServed,
  ProviderFailed,
  ProviderUnavailable,
  SubmissionInDoubt,
} from '#models/providers/providers.errors';
import { ProviderHttp } from '#models/providers/http/provider-http';
import { HeldResults } from '#models/providers/media/held-result.repository';
import { OpenaiImages } from '#models/providers/openai/openai-images';
import { expectEventually } from '../support/eventually';
import { FakeBfl } from '../support/fake-bfl';
import { FakeFal } from '../support/fake-fal';
import { FakeGemini } from '../support/fake-gemini';
import { FakeOpenai } from '../support/fake-openai';
import type { FakeProvider } from '../support/fake-provider';
import { FakeReplicate } from '../support/fake-replicate';
import { FakeRunway } from '../support/fake-runway';
import { FakeXai } from '../support/fake-xai';
import { World } from '../support/world';

interface Party {
  readonly provider: MediaProvider;
  readonly fake: FakeProvider;
  readonly request: MediaRequest;
  accepted(): number;
}

const soon = (ms = 1_000): AbortSignal => AbortSignal.timeout(ms);

const pictureOf = (bytes: number): MediaInput => ({
  kind: 'image',
  mime: 'image/png',
  bytes,
  open: () => Promise.resolve(Readable.from([Buffer.alloc(bytes, 'p')])),
});

const filmWith = (model: string): MediaRequest => ({
  model,
  mode: 'i2v',
  prompt: 'waves',
  image: pictureOf(64),
  seconds: 8,
  resolution: '720p',
  aspectRatio: '16:9',
  audio: false,
  ourId: 'job_of_a_test',
});

describe('media of real providers', () => {
  let world: World;
  let fal: FakeFal;
  let replicate: FakeReplicate;
  let openai: FakeOpenai;
  let gemini: FakeGemini;
  let bfl: FakeBfl;
  let runway: FakeRunway;
  let xai: FakeXai;
  const parties = {} as Record<'fal' | 'replicate' | 'openai' | 'gemini' | 'bfl' | 'runway' | 'xai', Party>;

  beforeAll(async () => {
    [fal, replicate, openai, gemini, bfl, runway, xai] = await Promise.all([
      FakeFal.start(),
      FakeReplicate.start(),
      FakeOpenai.start(),
      FakeGemini.start(),
      FakeBfl.start(),
      FakeRunway.start(),
      FakeXai.start(),
    ]);
    world = await World.start({
      ...fal.env,
      ...replicate.env,
      ...openai.env,
      ...gemini.env,
      ...bfl.env,
      ...runway.env,
      ...xai.env,
      ALLOW_SANDBOX_MIX: 'true',
    });
    parties.fal = {
      provider: world.app.get(Providers, { strict: false }).media('fal')!,
      fake: fal,
      request: filmWith('fal-ai/veo3/fast'),
      accepted: () => fal.accepted.length,
    };
    parties.replicate = {
      provider: world.app.get(Providers, { strict: false }).media('replicate')!,
      fake: replicate,
      request: filmWith('google/veo-3'),
      accepted: () => replicate.accepted.length,
    };
    parties.openai = {
      provider: world.app.get(Providers, { strict: false }).media('openai')!,
      fake: openai,
      request: filmWith('sora-2-pro'),
      accepted: () => openai.videos.length,
    };
    parties.gemini = {
      provider: world.app.get(Providers, { strict: false }).media('gemini')!,
      fake: gemini,
      request: filmWith('veo-3.1-generate-preview'),
      accepted: () => gemini.films.length,
    };
    parties.bfl = {
      provider: world.app.get(Providers, { strict: false }).media('bfl')!,
      fake: bfl,
      request: {
        model: 'flux-2-pro',
        mode: 'i2i',
        prompt: 'a fox',
        image: pictureOf(64),
        audio: false,
        ourId: 'job_b',
      },
      accepted: () => bfl.accepted.length,
    };
    parties.runway = {
      provider: world.app.get(Providers, { strict: false }).media('runway')!,
      fake: runway,
      request: filmWith('gen4_turbo'),
      accepted: () => runway.accepted.length,
    };
    parties.xai = {
      provider: world.app.get(Providers, { strict: false }).media('xai')!,
      fake: xai,
      request: filmWith('grok-imagine-video'),
      accepted: () => xai.films.length,
    };
  });

  afterEach(() => [fal, replicate, openai, gemini, bfl, runway, xai].forEach((fake) => fake.forgiveAll()));

  afterAll(async () => {
    await world.stop();
    await Promise.all([fal, replicate, openai, gemini, bfl, runway, xai].map((fake) => fake.stop()));
  });

  it('fails work whose result is a refusal, and waits for an unavailable one', async () => {
    fal.words = ['completed'];
    const { provider, request } = parties.fal;
    const { providerRef } = await provider.submit(request, soon());

    fal.failNext('result', 500, 422);

    await expect(provider.status(providerRef, request.model, soon())).rejects.toThrow(ProviderUnavailable);
    expect(await provider.status(providerRef, request.model, soon())).toMatchObject({ state: 'failed' });
    fal.words = ['queued', 'running', 'completed'];
  });

  it('uploads a large source first, and asks for nothing when it could not', async () => {
    const { provider, request } = parties.replicate;
    const before = replicate.accepted.length;
    const large = { ...request, image: pictureOf(300 * 1024) };

    await provider.submit(large, soon());
    expect(replicate.accepted.at(-1)?.input['image']).toBe(`${replicate.origin}/v1/files/f1`);

    replicate.failNext('upload', 500);
    await expect(provider.submit(large, soon())).rejects.toThrow(ProviderUnavailable);
    expect(replicate.accepted).toHaveLength(before + 1);
  });

  it('brings the key of a maker to its own hosts only', async () => {
    const { provider, request } = parties.gemini;
    const { providerRef } = await provider.submit(request, soon());
    gemini.films.at(-1)!.words = ['done'];
    expect(await provider.status(providerRef, 'x', soon())).toMatchObject({
      result: { headers: { 'x-goog-api-key': gemini.key } },
    });

    // An address in the vendor's answer must not make us send our key to another host.
    bfl.pollingAt = 'https://api.bfl.ai.example.com';
    const elsewhere = await parties.bfl.provider.submit(parties.bfl.request, soon());
    bfl.pollingAt = 'https://api.eu2.bfl.ai';
    const region = await parties.bfl.provider.submit(parties.bfl.request, soon());
    bfl.pollingAt = undefined;
    expect(elsewhere.providerRef).toMatch(/^work-\d+\|\|3\.0000$/);
    expect(region.providerRef).toMatch(/^work-\d+\|api\.eu2\.bfl\.ai\|3\.0000$/);
  });

  it('reports the bill of a picture where its maker does', async () => {
    bfl.words = ['ready'];
    const { provider, request } = parties.bfl;
    const { providerRef } = await provider.submit(request, soon());
    bfl.words = ['pending', 'drawing', 'ready'];

    expect(await provider.status(providerRef, 'x', soon())).toMatchObject({ state: 'done', cost: 30_000n });
    expect(bfl.accepted.at(-1)).toMatchObject({
      model: 'flux-2-pro',
      input: { prompt: 'a fox', width: 1024, height: 1024, input_image: expect.not.stringContaining(':') },
    });
  });

  it.each([
    ['gemini', 'failed'],
    ['gemini', 'filtered'],
    ['bfl', 'moderated'],
    ['runway', 'failed'],
    ['xai', 'failed'],
    ['xai', 'expired'],
    ['xai', 'moderated'],
  ] as const)('takes the end that %s calls %s for a failure', async (name, word) => {
    const { provider, request, fake } = parties[name];
    const said = (fake as FakeRunway).words;
    (fake as FakeRunway).words = [word] as unknown as FakeRunway['words'];
    const { providerRef } = await provider.submit(request, soon());
    (fake as FakeRunway).words = said;

    expect(await provider.status(providerRef, 'x', soon())).toMatchObject({ state: 'failed' });
  });

  it('knows an account that is empty by the words of its maker', async () => {
    const json = { error: 'You do not have enough credits to run this task.' };
    runway.failNext('submit', { says: { status: 400, json } });

    await expect(parties.runway.provider.submit(parties.runway.request, soon())).rejects.toThrow(
      ProviderUnavailable,
    );
  });

  it.each([
    ['gemini', { aspectRatio: '1:1' }],
    ['runway', { resolution: '4K' }],
    ['bfl', { aspectRatio: '21:9' }],
    ['xai', { resolution: '1080p' }],
  ] as const)('leaves a size that %s does not make to the next route', async (name, size) => {
    const { provider, request } = parties[name];
    const before = parties[name].accepted();

    await expect(provider.submit({ ...request, ...size }, soon())).rejects.toThrow(NotServed);
    expect(parties[name].accepted()).toBe(before);
  });

  it.each([
    ['gemini-2.5-flash-image', 'i2i'],
    ['imagen-4.0-generate-001', 't2i'],
  ] as const)('draws with %s, and holds the picture until it is fetched', async (model, mode) => {
    const { provider } = parties.gemini;
    const ourId = `job_${model}`;
    const image = mode === 'i2i' ? { image: pictureOf(8) } : {};
    const asked = { model, mode, prompt: 'a lamp', audio: false, aspectRatio: '3:2', ourId, ...image };
    const { providerRef } = await provider.submit(asked, soon());

    expect(await provider.status(providerRef, model, soon())).toEqual({
      state: 'done',
      result: { data: gemini.files.png },
    });
    expect(JSON.stringify(gemini.pictures.at(-1))).toContain('"aspectRatio":"3:2"');
    expect(JSON.stringify(gemini.pictures.at(-1)).includes('inlineData')).toBe(mode === 'i2i');
  });

  describe('Grok Imagine', () => {
    const PICTURE: MediaRequest = {
      model: 'grok-imagine-image',
      mode: 't2i',
      prompt: 'a lamp',
      aspectRatio: '3:2',
      resolution: '1K',
      audio: false,
      ourId: 'job_grok',
    };

    it('draws several pictures, and reports the bill with them', async () => {
      const { provider } = parties.xai;
      const { providerRef } = await provider.submit({ ...PICTURE, n: 2 }, soon());

      expect(await provider.status(providerRef, PICTURE.model, soon())).toEqual({
        state: 'done',
        result: { data: xai.files.png },
        further: [{ data: xai.files.png }],
        cost: 20_000n,
      });
      expect(await provider.lookup(PICTURE.ourId, PICTURE.model, soon())).toEqual({
        found: 'accepted',
        providerRef,
      });
    });

    it('edits pictures that are inside of the request', async () => {
      const edit = { ...PICTURE, mode: 'i2i', aspectRatio: undefined, ourId: 'job_grok_edit' } as const;

      await parties.xai.provider.submit({ ...edit, image: pictureOf(8), sources: [pictureOf(9)] }, soon());

      expect(xai.seen.findLast(({ method }) => method === 'POST')?.path).toBe('/v1/images/edits');
      expect(JSON.stringify(xai.pictures.at(-1)).match(/data:image\/png;base64,/g)).toHaveLength(2);
    });

    it('refuses content in words, as if nothing had been asked', async () => {
      const { provider } = parties.xai;
      xai.moderates = true;

      const submitted = provider.submit({ ...PICTURE, ourId: 'job_grok_refused' }, soon());

      await expect(submitted).rejects.toThrow(ProviderFailed);
      expect(await provider.lookup('job_grok_refused', 'x', soon())).toEqual({ found: 'unknown' });
      xai.moderates = false;
    });

    it('names a film at an address that gets no key of ours', async () => {
      const { provider, request } = parties.xai;
      const { providerRef } = await provider.submit(request, soon());
      xai.films.at(-1)!.words = ['done'];

      expect(await provider.status(providerRef, 'x', soon())).toEqual({
        state: 'done',
        result: { url: `${xai.origin}/files/waves.mp4` },
        cost: 350_000n,
      });
      expect(xai.films.at(-1)!.asked).toMatchObject({
        duration: 8,
        resolution: '720p',
        aspect_ratio: '16:9',
      });
    });
  });

  it('draws at Runway with the source pictures as references', async () => {
    const { provider, request } = parties.runway;
    runway.words = ['succeeded'];
    const edit = { ...request, model: 'gen4_image', mode: 'i2i', seconds: undefined } as const;

    const { providerRef } = await provider.submit({ ...edit, sources: [pictureOf(9)] }, soon());

    runway.words = ['pending', 'running', 'succeeded'];
    expect(runway.accepted.at(-1)?.input).toMatchObject({
      path: '/v1/text_to_image',
      ratio: '1280:720',
      referenceImages: [{ uri: expect.any(String) }, { uri: expect.any(String) }],
    });
    expect(await provider.status(providerRef, 'x', soon())).toMatchObject({
      result: { url: `${runway.origin}/files/fox.png` },
    });
  });

  describe('pictures that come with the answer', () => {
    const PICTURE: MediaRequest = {
      model: 'gpt-image-1',
      mode: 't2i',
      prompt: 'a lamp',
      imageSize: '1024x1024',
      audio: false,
      ourId: 'job_pictures',
    };

    it('holds the picture for the process that polls', async () => {
      const { provider } = parties.openai;
      const { providerRef } = await provider.submit({ ...PICTURE, ourId: 'job_p1' }, soon());

      const status = await provider.status(providerRef, PICTURE.model, soon());

      expect(status).toEqual({ state: 'done', result: { data: openai.files.png } });
      expect(await provider.lookup('job_p1', PICTURE.model, soon())).toEqual({
        found: 'accepted',
        providerRef,
      });
    });

    it('sends source images along', async () => {
      const edit: MediaRequest = { ...PICTURE, mode: 'i2i', image: pictureOf(40), ourId: 'job_p2' };

      await parties.openai.provider.submit(edit, soon());

      expect(openai.seen.at(-1)?.path).toBe('/v1/images/edits');
      expect(openai.images.at(-1)).toContain('name="image[]"; filename="image.png"');
    });

    it('lets another route try after a clear no, as if nothing had been asked', async () => {
      openai.failNext('image', 429);

      const submitted = parties.openai.provider.submit({ ...PICTURE, ourId: 'job_p3' }, soon());

      await expect(submitted).rejects.toThrow(ProviderUnavailable);
      expect(await parties.openai.provider.lookup('job_p3', 'x', soon())).toEqual({ found: 'unknown' });
    });

    it.each([500, 'drop reply', 'garbage'] as const)(
      'gives up a picture whose answer is lost: %s',
      async (fault) => {
        const { provider } = parties.openai;
        const ourId = `job_lost_${fault}`;
        openai.failNext('image', fault);

        await expect(provider.submit({ ...PICTURE, ourId }, soon())).rejects.toThrow(SubmissionInDoubt);

        const found = await provider.lookup(ourId, 'x', soon());
        const ref = 'providerRef' in found ? found.providerRef : '';
        expect(await provider.status(ref, 'x', soon())).toMatchObject({ state: 'failed' });
      },
    );

    it.each([
      [{ lateMs: 200 }, 'done'],
      [{ lateMs: 200, status: 400 }, 'failed'],
      [{ lateMs: 200, status: 500 }, 'failed'],
    ])('goes on after the submission when the picture takes long: %j is %s', async (fault, state) => {
      const http = new ProviderHttp({
        name: 'openai',
        baseUrl: `${openai.origin}/v1`,
        headers: () => ({ authorization: `Bearer ${openai.key}` }),
      });
      const images = new OpenaiImages(http, world.app.get(HeldResults, { strict: false }), 20);
      openai.failNext('image', fault);

      const { providerRef } = await images.submit({
        ...PICTURE,
        ourId: `job_slow_${JSON.stringify(fault)}`,
      });

      expect(await images.status(providerRef)).toEqual({ state: 'running' });
      await expectEventually(async () => (await images.status(providerRef)).state === state);
      await http.close();
    });

    it('drops pictures that were taken long ago, when the next one comes', async () => {
      const { provider } = parties.openai;
      const { providerRef } = await provider.submit({ ...PICTURE, ourId: 'job_taken' }, soon());
      await provider.status(providerRef, 'x', soon());
      await world.db.rows(`update held_result set taken_at = now() - interval '1 hour' where id = $1`, [
        providerRef,
      ]);

      await provider.submit({ ...PICTURE, ourId: 'job_next' }, soon());

      expect(await provider.lookup('job_taken', 'x', soon())).toEqual({ found: 'unknown' });
    });

    it('gives up a picture whose process died waiting for it', async () => {
      await world.db.rows(
        `insert into held_result (id, reference, awaited_until) values ('held_dead', 'job_dead', now() - interval '1 s')`,
      );

      expect(await parties.openai.provider.status('held_dead', 'x', soon())).toMatchObject({
        state: 'failed',
      });
    });
  });
});
