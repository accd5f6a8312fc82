import { type Micro, micro, parseUsd } from '#kernel/money';
import { servedBy } from '#models/providers/vendors';
import { readSettings } from '../../../settings';
import prices from '../book/media-prices.json';
import { AudioPriceCalculator } from '../audio-price-calculator';
import { Catalog } from '../catalog';
import { readCatalogFile } from '../catalog-file';
import { type MediaModel, unmadeSizes } from '../catalog-models';
import { modelFacts } from '../choices/model-facts';
import { LiveCosts } from '../live-costs';
import { MediaPriceCalculator, type RequestedMedia, optionsOf } from '../media-price-calculator';
import { MAKERS_FILE, bookSummaries, makersModelsOf, presentMedia, withMedia } from './makers-media';
import type { VendorList } from './vendor-list.entity';

const KEYS = [
  'OPENAI_API_KEY',
  'FAL_KEY',
  'REPLICATE_API_TOKEN',
  'GEMINI_API_KEY',
  'XAI_API_KEY',
  'BFL_API_KEY',
  'RUNWAY_API_KEY',
];

const settings = readSettings({
  ALLOW_SANDBOX_MIX: 'true',
  ...Object.fromEntries(KEYS.map((name) => [name, 'a-key-0123456789abcdef'])),
});
const makers = makersModelsOf(settings);
const ALL = { only: [], without: [] };
const LISTERS = new Set(['openai', 'gemini', 'xai']);
const pricing = new MediaPriceCalculator(settings, {
  of: ({ costs }: MediaModel) => ({ costs, live: false }),
} as unknown as LiveCosts);

/** A price of the book, read without the code that the service uses. */
const bookUsd = (vendor: string, name: string, tier: string, megapixels = 1): number => {
  const found = prices.prices.find((each) => each.vendor === vendor && each.model === name)!;
  const usd = found.usd as Readonly<Record<string, string | undefined>>;
  const text = usd[`medium ${tier}`] ?? usd[tier] ?? usd['default'];
  if (text === undefined) throw new Error(`The book has no price of ${vendor} ${name} ${tier}.`);
  return Number(text) * (found.unit === 'megapixel' ? megapixels : 1);
};

const atLeast = (price: Micro, usd: number): boolean => Number(price) >= Math.ceil(usd * 1e6 - 1e-6);

const list = (vendor: string, ...models: VendorList['models']): VendorList =>
  ({ vendor, models, readAt: new Date() }) as VendorList;

describe('the models of makers that the book of media prices', () => {
  it('are valid entries of a catalog file, in sizes that their vendors make', () => {
    expect(() => readCatalogFile(MAKERS_FILE, servedBy(settings))).not.toThrow();
    expect(makers.media.flatMap((model) => unmadeSizes(model, servedBy(settings)))).toEqual([]);
    expect(makers.media.length).toBe(MAKERS_FILE.media.length);
    expect(makers.audio.map(({ id }) => id)).toEqual(['tts-1', 'tts-1-hd', 'whisper-1']);
  });

  it('keep all optional inputs that their entries name', () => {
    for (const entry of MAKERS_FILE.media)
      expect([entry.id, makers.media.find(({ id }) => id === entry.id)?.capabilities]).toEqual([
        entry.id,
        entry.capabilities ?? {},
      ]);
  });

  it('are all models of the book, but for those that the service cannot make', () => {
    const rest = prices.prices.filter((each) => !('makes' in each)).map(({ model }) => model);
    expect(rest.sort()).toEqual([
      'eleven_multilingual_sts_v2',
      'eleven_multilingual_v2',
      'eleven_voice_dubbing',
      'eleven_voice_isolation',
      'gen4_aleph',
      'gpt-4o-mini-transcribe',
      'kling/v4/image-to-video',
      'kling/v4/text-to-video',
      'recraft-ai/recraft-v3-svg',
      'veo-3.1-fast-generate-001',
      'veo-3.1-generate-001',
    ]);
  });

  const calls = makers.media.flatMap((model) => {
    const sizes: readonly RequestedMedia[] = [
      ...model.resolutions.map((resolution) => ({ resolution })),
      ...model.imageSizes.map((imageSize) => ({ imageSize })),
    ];
    const seconds = model.durations.length === 0 ? [undefined] : model.durations;
    return (sizes.length === 0 ? [{}] : sizes).flatMap((size) =>
      seconds.flatMap((duration) =>
        [1, model.capabilities.n ?? 1].map((n) => ({
          model,
          call: { ...size, ...(duration === undefined ? {} : { duration }), n },
        })),
      ),
    );
  });

  it.each(calls.map((each) => [each.model.id, JSON.stringify(each.call), each] as const))(
    '%s sells for the cost in the book with its markup: %s',
    (_id, _call, { model, call }) => {
      const [route] = model.routes;
      const tier = call.resolution ?? call.imageSize ?? 'default';
      const results = (call.n ?? 1) * (call.duration ?? 1);
      const cost = bookUsd(route!.provider, route!.model, tier, tier === '2K' ? 5 : 1) * results;
      const { list: price, floor } = pricing.price(model, optionsOf(model, call));
      expect(atLeast(price, cost * 1.25)).toBe(true);
      // A discount of any size leaves the cost.
      expect(atLeast(floor, cost)).toBe(true);
      const beside = prices.prices
        .find(({ vendor, model: name }) => vendor === route!.provider && name === route!.model)!
        .makes!.flatMap((makes) => ('besideUsd' in makes ? Number(makes.besideUsd) : []));
      const most = Math.max((cost + Math.max(0, ...beside) * results) * 1.25, 0.004_546 * (call.n ?? 1));
      expect(Number(price)).toBeLessThanOrEqual(most * 1e6 + results);
    },
  );

  it('cover 2,000 tokens of a prompt where the maker bills tokens', () => {
    const billed = makers.media.filter(({ routes: [route] }) => route?.prices !== undefined);
    expect(billed.map(({ id }) => id)).toEqual(['gpt-image-1.5', 'gpt-image-1-mini', 'gpt-image-1']);
    for (const { costs, routes } of billed)
      for (const [tier, cost] of costs)
        expect(cost - routes[0]!.costs!.get(tier)!).toBeGreaterThanOrEqual(
          (2_000n * routes[0]!.prices!.input) / 1_000_000n,
        );
  });

  it('sell sound for its cost with the markup, and no discount goes below the cost', () => {
    const audio = new AudioPriceCalculator(settings);
    const [speech, , transcription] = makers.audio;
    expect(audio.speech(speech!, 'a'.repeat(4_000))).toMatchObject({ list: 75_000n, floor: 60_000n });
    expect(audio.transcription(transcription!, 7_200)).toMatchObject({ list: 900_000n, floor: 720_000n });
  });

  it('are for sale if the vendor has no list, or its list has them', () => {
    const lists = [list('gemini', { id: 'gemini-3-pro-image' }), list('openai', { id: 'gpt-5' })];
    const { media, audio } = presentMedia(makers, lists, LISTERS, ALL);
    const ids = (provider: string) =>
      media.filter(({ routes }) => routes[0]?.provider === provider).map(({ id }) => id);
    expect([ids('gemini'), ids('openai'), ids('xai'), audio]).toEqual([
      ['gemini-3-pro-image', 'gemini-3-pro-image/edit'],
      [],
      [],
      [],
    ]);
    expect(ids('bfl')).toContain('flux-kontext-pro/edit');
  });

  it('keep their price if a pattern leaves them out, and retire when they leave the list', () => {
    const rows = [list('gemini', { id: 'gemini-3-pro-image', goneOn: '2026-01-01', replacedBy: 'unknown' })];
    const { media } = presentMedia(makers, rows, LISTERS, { only: [], without: ['bfl/*'] });
    const catalog = new Catalog(settings);
    catalog.offer({ media });
    expect(catalog.refusalOf('gemini-3-pro-image')).toMatchObject({ code: 'MODEL_RETIRED' });
    expect(catalog.refusalOf('flux-2-pro')).toMatchObject({ code: 'NOT_OFFERED' });
    expect([...catalog.media.keys()].filter((id) => id.startsWith('flux-2'))).toEqual([]);
    expect(catalog.mediaModel('flux-2-pro', 't2i').costs.get('default')).toBe(parseUsd('0.03'));
  });

  it('are one name to a caller, with or without a picture', () => {
    const catalog = new Catalog(settings);
    catalog.offer(makers);
    const id = 'veo-3.1-generate-preview';
    expect(catalog.mediaModel(id, 't2v').id).toBe(id);
    // A call without a duration looks like one for a picture.
    expect(catalog.mediaModel(id, 't2i').id).toBe(id);
    for (const mode of ['i2i', 'i2v'] as const)
      expect(catalog.mediaModel(id, mode).id).toBe(`${id}/image-to-video`);
    expect(catalog.mediaModel('flux-kontext-max', 'i2i').id).toBe('flux-kontext-max/edit');
    expect(catalog.mediaModel('flux-2-max', 'i2i').id).toBe('flux-2-max');
  });

  it('cost what the book says, or more, whatever the vendor reports of a smaller size or quality', async () => {
    const catalog = new Catalog(settings);
    catalog.offer(makers);
    const id = 'fal-ai/gpt-image-1/text-to-image';
    const priceAt = async (cost: bigint) => {
      const unitCosts = () => Promise.resolve(new Map([[id, { unit: 'image', cost }]]));
      const live = new LiveCosts(
        catalog,
        { media: () => ({ unitCosts }) } as never,
        { now: () => new Date() } as never,
        settings,
        { task: () => undefined } as never,
      );
      expect(await live.refresh()).toEqual([]);
      const model = catalog.mediaModel(id, 't2i');
      const high = optionsOf(model, { quality: 'high' });
      return new MediaPriceCalculator(settings, live).price(model, high);
    };
    expect(await priceAt(20_000n)).toMatchObject({ cost: 170_000n, list: 212_500n, floor: 170_000n });
    expect(await priceAt(60_000n)).toMatchObject({ cost: 204_000n, list: 255_000n, floor: 204_000n });
  });

  it('keep their vendor and their price beside a text of the same name at another vendor', () => {
    const catalog = new Catalog(settings);
    const text = ['flux-2-pro', 'tts-1', 'a-text'].map((id) => ({
      id,
      name: id,
      isListed: true,
      rates: { input: micro(1n), output: micro(1n) },
      routes: [{ provider: 'router', model: id }],
    }));
    catalog.offer({ ...makers, text });
    expect(catalog.media.get('flux-2-pro')?.routes).toMatchObject([{ provider: 'bfl' }]);
    expect(catalog.audio.get('tts-1')?.routes).toMatchObject([{ provider: 'openai' }]);
    expect([...catalog.text.keys()].filter((id) => text.some((each) => each.id === id))).toEqual(['a-text']);
    expect(() => catalog.textModel('flux-2-pro')).toThrow('flux-2-pro');
    const facts = modelFacts({
      catalog,
      lists: [list('router', { id: 'flux-2-pro', rates: { input: '1', output: '1' } })],
      patterns: ALL,
      off: [],
      choices: new Map(),
      price: settings.price,
    });
    expect(facts.filter(({ id }) => id === 'flux-2-pro')).toMatchObject([
      { kind: 'media', vendor: 'bfl', forSale: true },
      { kind: 'text', vendor: 'router', forSale: false, why: expect.stringContaining('under this name') },
    ]);
  });

  it('are never the default of a mode beside a model of our own', () => {
    const catalog = new Catalog(settings);
    const before = ['t2i', 'i2i', 't2v', 'i2v'].map((mode) => catalog.defaultMedia(mode as 't2i')?.id);
    catalog.offer(makers);
    expect(['t2i', 'i2i', 't2v', 'i2v'].map((mode) => catalog.defaultMedia(mode as 't2i')?.id)).toEqual(
      before,
    );
    expect(catalog.audioModel(undefined, 'speech').id).toBe('echo-voice');
  });

  it('are the default of a mode that no model of our own serves, the cheapest first', () => {
    const only = readSettings({ GEMINI_API_KEY: 'a-key-0123456789abcdef', ALLOW_SANDBOX_MIX: 'true' });
    const catalog = new Catalog(only);
    catalog.offer(makersModelsOf(only));
    expect(['t2i', 't2v'].map((mode) => catalog.defaultMedia(mode as 't2i')?.id)).toEqual([
      'gemini-3.1-flash-lite-image',
      'veo-3.1-lite-generate-preview',
    ]);
    const shown = catalog.shownMedia.filter((model) => model.default === true);
    expect(shown.map(({ mode, id }) => [mode, id])).toEqual([
      ['t2i', 'gemini-3.1-flash-lite-image'],
      ['i2i', 'gemini-3.1-flash-lite-image/edit'],
      ['t2v', 'veo-3.1-lite-generate-preview'],
      ['i2v', 'veo-3.1-lite-generate-preview/image-to-video'],
    ]);
  });

  it('propose the default quality, which never costs more than the caller thought', () => {
    const model = makers.media.find(({ id }) => id === 'gpt-image-1.5')!;
    for (const quality of ['low', 'auto', 'ultra'])
      expect(() => optionsOf(model, { quality })).toThrow(
        expect.objectContaining({ message: expect.stringContaining('The default is medium') }),
      );
  });

  it('refuse a silent film where the vendor always makes sound', () => {
    const [veo, fal] = ['veo-3.1-generate-preview', 'fal-ai/veo3.1/fast'].map((id) =>
      makers.media.find((model) => model.id === id),
    );
    expect(() => optionsOf(veo!, { audio: false })).toThrow('always have sound');
    expect(optionsOf(veo!, {}).audio).toBe(true);
    expect(optionsOf(fal!, { audio: false }).audio).toBe(false);
  });

  it('name the final model if a preview leaves the list', () => {
    const rows = [
      list(
        'gemini',
        { id: 'gemini-3-pro-image' },
        { id: 'gemini-3-pro-image-preview', goneOn: '2026-01-01' },
      ),
    ];
    const { media } = presentMedia(makers, rows, LISTERS, ALL);
    expect(media.filter(({ id }) => id.includes('preview')).map(({ replacedBy }) => replacedBy)).toEqual([
      'gemini-3-pro-image',
      'gemini-3-pro-image/edit',
    ]);
  });

  it('have names of their own at a vendor', () => {
    for (const vendor of LISTERS) {
      const names = makers.media
        .filter(({ routes }) => routes[0]?.provider === vendor)
        .map(({ name }) => name);
      expect([vendor, names.filter((name, at) => names.indexOf(name) < at)]).toEqual([vendor, []]);
    }
  });

  it('are refused by routes for other work in words that say so', () => {
    const catalog = new Catalog(settings);
    catalog.offer(makers);
    expect(() => catalog.textModel('gpt-image-1')).toThrow('gpt-image-1 makes pictures or films');
    expect(() => catalog.mediaModel('tts-1', 't2i')).toThrow('tts-1 makes speech or transcripts');
    expect(() => catalog.mediaModel('lumen-flash', 't2i')).toThrow('lumen-flash makes texts');
  });

  it('are marked in the lists of their vendors only', () => {
    expect(withMedia('openai', [{ id: 'tts-1', why: 'no text' }, { id: 'gpt-5' }])).toEqual([
      { id: 'tts-1', why: 'no text', isMedia: true },
      { id: 'gpt-5' },
    ]);
    expect(withMedia('router', [{ id: 'tts-1' }])).toEqual([{ id: 'tts-1' }]);
  });

  it('are counted for each vendor without a list', () => {
    const lines = bookSummaries(makers, LISTERS, { only: [], without: ['bfl/flux-2-*'] });
    expect(lines.find((line) => line.startsWith('bfl'))).toBe(
      'bfl: 5 of 10 models of the book for sale; CATALOG_ONLY or CATALOG_WITHOUT leaves 5 out',
    );
    expect(lines.map((line) => line.split(':')[0])).toEqual(['fal', 'replicate', 'bfl', 'runway']);
  });
});
