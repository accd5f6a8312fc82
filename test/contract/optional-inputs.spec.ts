import { Readable } from 'node:stream';

import sharp from 'sharp';

import type { MediaMode } from '#models/providers/media-mode';
import type { MediaInput, MediaRequest } from '#models/providers/media-provider';
import { Providers } from '#models/providers/providers';
import { VENDORS } from '#models/providers/vendors';
import { type OptionalInput, OPTIONAL_INPUTS_OF, optionalInputsIn } from '#models/providers/optional-inputs';
import { World } from '../support/world';
import { type Documented, type FakeMediaVendor, mediaVendorOf } from './media-vendors';

/** Each medium has a mark, which shows in a request which media it contains. Only a picture can be a mask. */
const PICTURES: Readonly<Record<string, string>> = { image: '#100', sources: '#020', lastFrame: '#003' };

const picture = async (background: string): Promise<MediaInput> => {
  const bytes = await sharp({ create: { width: 2, height: 2, channels: 3, background } })
    .png()
    .toBuffer();
  const open = (): Promise<Readable> => Promise.resolve(Readable.from([bytes]));
  return { kind: 'image', mime: 'image/png', bytes: bytes.length, open };
};

const clip: MediaInput = {
  kind: 'video',
  mime: 'video/mp4',
  bytes: 9,
  open: () => Promise.resolve(Readable.from([Buffer.from('the-clip!')])),
};

const base64Of = async (input: MediaInput): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of await input.open()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('base64');
};

/** Taken from the vendors' documentation. */
const DOCUMENTED: Readonly<Record<string, readonly Documented[]>> = {
  fal: [
    { mode: 't2i', model: 'fal-ai/flux/dev', names: { seed: 'seed', n: 'num_images' } },
    {
      mode: 't2i',
      model: 'fal-ai/stable-diffusion-v35-large',
      names: { seed: 'seed', negativePrompt: 'negative_prompt', n: 'num_images' },
    },
    {
      mode: 'i2i',
      model: 'fal-ai/nano-banana/edit',
      names: { seed: 'seed', sources: 'image_urls.1', n: 'num_images' },
    },
    { mode: 't2i', model: 'fal-ai/flux-pro/v1.1', names: { seed: 'seed' } },
    {
      mode: 'i2i',
      model: 'fal-ai/flux-lora/inpainting',
      names: { seed: 'seed', mask: 'mask_url', n: 'num_images' },
    },
    {
      mode: 'i2v',
      model: 'fal-ai/veo3.1/image-to-video',
      names: { seed: 'seed', negativePrompt: 'negative_prompt', lastFrame: 'last_frame_url' },
      paths: { lastFrame: '/fal-ai/veo3.1/first-last-frame-to-video' },
    },
    {
      mode: 't2v',
      model: 'fal-ai/veo3.1',
      names: { seed: 'seed', negativePrompt: 'negative_prompt', extend: 'video_url' },
      paths: { extend: '/fal-ai/veo3.1/extend-video' },
    },
  ],
  replicate: [
    {
      mode: 't2i',
      model: 'black-forest-labs/flux-dev',
      names: { seed: 'input.seed', n: 'input.num_outputs' },
    },
    { mode: 'i2i', model: 'google/nano-banana', names: { sources: 'input.image_input.1' } },
    {
      mode: 'i2i',
      model: 'black-forest-labs/flux-fill-dev',
      names: { seed: 'input.seed', mask: 'input.mask' },
    },
    {
      mode: 'i2v',
      model: 'google/veo-3.1',
      names: { seed: 'input.seed', negativePrompt: 'input.negative_prompt', lastFrame: 'input.last_frame' },
    },
  ],
  openai: [
    { mode: 't2i', model: 'gpt-image-1', names: { n: 'n' } },
    { mode: 't2i', model: 'dall-e-3', names: {} },
    { mode: 'i2i', model: 'gpt-image-1', names: { sources: 'image[]', mask: 'mask', n: 'n' } },
    { mode: 't2v', model: 'sora-2', names: {} },
  ],
  gemini: [
    { mode: 't2i', model: 'imagen-4.0-generate-001', names: { n: 'parameters.sampleCount' } },
    {
      mode: 'i2i',
      model: 'gemini-2.5-flash-image',
      names: { seed: 'generationConfig.seed', sources: 'contents.0.parts.2.inlineData.data' },
    },
    {
      mode: 'i2v',
      model: 'veo-3.1-generate-preview',
      names: {
        seed: 'parameters.seed',
        negativePrompt: 'parameters.negativePrompt',
        lastFrame: 'instances.0.lastFrame.bytesBase64Encoded',
      },
    },
  ],
  bfl: [
    { mode: 'i2i', model: 'flux-2-pro', names: { seed: 'seed', sources: 'input_image_2' } },
    { mode: 'i2i', model: 'flux-pro-1.0-fill', names: { seed: 'seed', mask: 'mask' } },
  ],
  runway: [
    { mode: 'i2v', model: 'gen4_turbo', names: { seed: 'seed' } },
    {
      mode: 'i2v',
      model: 'veo3.1',
      names: { negativePrompt: 'negativePrompt', lastFrame: 'promptImage.1.uri' },
    },
    { mode: 't2v', model: 'veo3', names: { negativePrompt: 'negativePrompt' } },
    { mode: 't2i', model: 'gen4_image', names: { seed: 'seed' } },
    {
      mode: 'i2i',
      model: 'gen4_image_turbo',
      names: { seed: 'seed', sources: 'referenceImages.1.uri' },
    },
    { mode: 'i2i', model: 'gemini_2.5_flash', names: { sources: 'referenceImages.1.uri' } },
  ],
  xai: [
    { mode: 't2i', model: 'grok-imagine-image', names: { n: 'n' } },
    { mode: 't2v', model: 'grok-imagine-video', names: {} },
  ],
};

const VENDORS_OF_MEDIA = VENDORS.flatMap((each) =>
  'one' in each || each.enabledBy === undefined || each.serves.modes.length === 0 ? [] : [each],
);

/** A vendor that is not listed here documents its optional inputs in its fixture. Without any, it passes on none. */
const documentedOf = (name: string): readonly Documented[] => {
  if (DOCUMENTED[name] !== undefined) return DOCUMENTED[name];
  const { optionalInputs: documented, models } = mediaVendorOf(name);
  return (
    documented ??
    Object.entries(models).map(([mode, model]) => ({ mode: mode as MediaMode, model, names: {} }))
  );
};

const CASES = VENDORS_OF_MEDIA.flatMap(({ name: vendor }) =>
  documentedOf(vendor).map((documented) => ({ vendor, ...documented })),
);

const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], value);

describe('the optional inputs of a media call, at all vendors', () => {
  let world: World;
  const fakes: Record<string, FakeMediaVendor> = {};
  let inputs: Required<Pick<MediaRequest, OptionalInput>>;
  let image: MediaInput;

  beforeAll(async () => {
    for (const { name } of VENDORS_OF_MEDIA) fakes[name] = await mediaVendorOf(name).start();
    const env = Object.values(fakes).map((fake) => fake.env);
    world = await World.start({ ...Object.assign({}, ...env), ALLOW_SANDBOX_MIX: 'true' });
    image = await picture(PICTURES['image']!);
    inputs = {
      seed: 4_711,
      negativePrompt: 'fog and rain',
      sources: [await picture(PICTURES['sources']!)],
      mask: await picture('#fff'),
      lastFrame: await picture(PICTURES['lastFrame']!),
      extend: clip,
      n: 3,
    };
  });

  afterAll(async () => {
    await world.stop();
    await Promise.all(Object.values(fakes).map((fake) => fake.stop()));
  });

  const submit = async (vendor: string, { mode, model }: Documented, input: Partial<MediaRequest>) => {
    const fake = fakes[vendor]!;
    // fal continues a clip by seven seconds.
    const film = { seconds: input.extend === undefined ? 8 : 7, resolution: '720p', aspectRatio: '16:9' };
    const request: MediaRequest = {
      model,
      mode,
      prompt: 'a fox',
      image: mode === 't2i' || mode === 't2v' ? undefined : image,
      ...(mode.endsWith('2v') ? film : { aspectRatio: '1:1' }),
      audio: false,
      ourId: `job_${vendor}_${fake.seen.length}`,
      ...input,
    };
    const before = fake.seen.length;
    await world.app
      .get(Providers, { strict: false })
      .media(vendor)!
      .submit(request, AbortSignal.timeout(10_000));
    const asked = fake.seen.slice(before).find(({ method }) => method === 'POST')!;
    const isForm = String(asked.headers['content-type']).startsWith('multipart/');
    const text = asked.body.toString('latin1');
    return { path: asked.path, text, json: isForm ? undefined : (JSON.parse(text) as unknown) };
  };

  it.each(CASES)(
    '$vendor passes on just what $model ($mode) is documented to take',
    ({ vendor, ...model }) => {
      const { takes } = VENDORS_OF_MEDIA.find(({ name }) => name === vendor)!.serves;
      const taken = takes?.(model.mode, model.model) ?? [];

      expect(taken.toSorted()).toEqual(Object.keys(model.names).toSorted());
      expect(OPTIONAL_INPUTS_OF[model.mode]).toEqual(expect.arrayContaining([...taken]));
    },
  );

  const EACH = CASES.flatMap(({ names, ...rest }) =>
    Object.entries(names).map(([input, name]) => ({ ...rest, names, input: input as OptionalInput, name })),
  );

  it.each(EACH)('$vendor gets $input of $model as $name', async ({ vendor, input, name, ...model }) => {
    const { path, json, text } = await submit(vendor, model, { [input]: inputs[input] });

    if (model.paths?.[input] !== undefined) expect(path).toBe(model.paths[input]);
    if (json === undefined) {
      expect(text.split(`name="${name}"`)).toHaveLength(input === 'sources' ? 3 : 2);
      return;
    }
    const value = at(json, name);
    if (input === 'seed' || input === 'negativePrompt' || input === 'n') {
      expect(value).toBe(inputs[input]);
      return;
    }
    const [medium] = [inputs[input]].flat();
    expect(value).toContain(await base64Of(medium!));
    // The first picture is still in the request, in any of its fields.
    if (model.mode === 'i2i' || model.mode === 'i2v') expect(text).toContain(await base64Of(image));
  });

  it.each(CASES)(
    '$vendor gets no optional input that the call does not have: $model',
    async ({ vendor, ...model }) => {
      const { text } = await submit(vendor, model, {});

      expect(text).not.toMatch(/seed|negative|mask|last_?frame|extend/i);
    },
  );

  it('openai gets a mask that is clear where ours is white', async () => {
    const half = await sharp({ create: { width: 4, height: 2, channels: 3, background: '#000' } })
      .composite([
        {
          input: { create: { width: 2, height: 2, channels: 3, background: '#fff' } },
          left: 0,
          top: 0,
        },
      ])
      .png()
      .toBuffer();
    const mask = {
      ...(await picture('#fff')),
      open: () => Promise.resolve(Readable.from([half])),
    };
    const { text } = await submit('openai', { mode: 'i2i', model: 'gpt-image-1', names: {} }, { mask });
    const part = text.split('name="mask"')[1]!;
    const bytes = Buffer.from(part.slice(part.indexOf('\r\n\r\n') + 4, part.indexOf('\r\n--')), 'latin1');

    const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const alphaAt = (x: number): number | undefined => data[x * info.channels + info.channels - 1];
    expect([0, 1, 2, 3].map(alphaAt)).toEqual([0, 0, 255, 255]);
  });

  it('are all known to some vendor', () => {
    const taken = new Set(CASES.flatMap(({ names }) => Object.keys(names)));

    expect([...taken].toSorted()).toEqual([...optionalInputsIn(inputs)].toSorted());
  });
});
