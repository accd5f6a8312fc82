import fc from 'fast-check';

import { micro } from '#kernel/money';
import { readSettings } from '../../settings';
import { Catalog } from './catalog';
import type { MediaModel } from './catalog-models';
import { NotOffered, AbovePriceCap } from './catalog.errors';
import type { LiveCosts } from './live-costs';
import {
  MediaPriceCalculator,
  type RequestedMedia,
  costOf,
  mediaPrice,
  optionsOf,
} from './media-price-calculator';
import { discounted } from './volume-discount';

const settings = readSettings({});
const catalog = new Catalog(settings);
const cardOnly = { of: ({ costs }: MediaModel) => ({ costs, live: false }) } as unknown as LiveCosts;
const pricing = new MediaPriceCalculator(settings, cardOnly);
const model = (id: string): MediaModel => catalog.media.get(id)!;
const priced = (id: string, requested: RequestedMedia = {}) =>
  pricing.price(model(id), optionsOf(model(id), requested));

describe('a media call', () => {
  it.each<[string, RequestedMedia, bigint, bigint]>([
    ['ember-image', {}, 20_000n, 30_770n],
    ['ember-image', { resolution: '2K' }, 100_000n, 153_847n],
    ['ember-image', { resolution: '1K', aspectRatio: '2:3' }, 20_000n, 30_770n],
    ['ember-image-fast', {}, 3_000n, 4_616n],
    ['ember-image-studio', {}, 42_000n, 64_616n],
    ['ember-image-studio', { imageSize: '1536x1024' }, 63_000n, 96_924n],
    ['veil-image', { resolution: '2K' }, 260_000n, 400_000n],
    ['ember-edit', {}, 30_000n, 46_154n],
    ['torch-video', {}, 200_000n, 307_693n],
    ['torch-video', { duration: 8, resolution: '1080p' }, 960_000n, 1_476_924n],
    ['torch-video', { duration: 8, resolution: '1080p', audio: false }, 960_000n, 1_476_924n],
    ['torch-video-cinema', { duration: 60, resolution: '4K' }, 54_000_000n, 83_076_924n],
    ['torch-animate', { duration: 10, resolution: '1080p' }, 1_000_000n, 1_538_462n],
    ['mask-swap', {}, 50_000n, 76_924n],
    ['puppet-motion', { duration: 15, resolution: '720p' }, 1_500_000n, 2_307_693n],
  ])('of %s with %j costs what its units cost', (id, requested, cost, list) => {
    expect(priced(id, requested)).toMatchObject({ modelId: id, cost, list, floor: 4_546n, live: false });
  });

  it('takes the model’s first values where nothing is asked for', () => {
    expect(optionsOf(model('torch-video'), {})).toEqual({
      seconds: 4,
      resolution: '720p',
      imageSize: undefined,
      aspectRatio: '16:9',
      audio: true,
    });
  });

  it.each<[string, RequestedMedia, string]>([
    ['torch-video', { duration: 5 }, 'duration of torch-video must be one of 4, 6, 8. The nearest is 4.'],
    ['torch-video', { duration: 100 }, 'duration of torch-video must be one of 4, 6, 8. The nearest is 8.'],
    [
      'torch-video',
      { resolution: '1080P' },
      'resolution of torch-video must be one of 720p, 1080p. The nearest is 1080p.',
    ],
    ['torch-video', { resolution: '4K' }, 'resolution of torch-video must be one of 720p, 1080p.'],
    ['ember-image', { duration: 4 }, 'ember-image takes no duration; leave it out.'],
    ['ember-image', { audio: true }, 'ember-image takes no audio; leave it out.'],
    ['ember-image', { imageSize: '1024x1024' }, 'ember-image takes no imageSize; leave it out.'],
    ['ember-image', { resolution: 'default' }, 'resolution of ember-image must be one of 1K, 2K.'],
    ['mask-swap', { aspectRatio: '1:1' }, 'mask-swap takes no aspectRatio; leave it out.'],
  ])('of %s with %j is refused with what there is', (id, requested, message) => {
    const ask = (): unknown => optionsOf(model(id), requested);

    expect(ask).toThrow(NotOffered);
    expect(ask).toThrow(message);
  });

  it('is refused when it would pass the cap', () => {
    const stingy = readSettings({ PRICE_MEDIA_CAP_MICRO: '83076923' });
    const cinema = model('torch-video-cinema');

    const ask = (): unknown =>
      new MediaPriceCalculator(stingy, cardOnly).price(
        cinema,
        optionsOf(cinema, { duration: 60, resolution: '4K' }),
      );

    expect(ask).toThrow(AbovePriceCap);
  });

  it.each([undefined, { times: 1n, over: 1n }, { times: 21n, over: 20n }])(
    'with the markup %j of a file never costs less than its vendor after a discount',
    (markup) => {
      const { list, floor, cost } = pricing.price({ ...model('ember-image'), markup }, { audio: false });
      expect(discounted(list, 15, floor)).toBeGreaterThanOrEqual(cost!);
    },
  );

  it('is another call as soon as anything differs that its price may depend on', () => {
    const both: MediaModel = { ...model('ember-image'), imageSizes: ['small', 'large'] };
    const inputOf = (requested: RequestedMedia): string =>
      pricing.price(both, optionsOf(both, requested)).input;

    const inputs = [
      inputOf({}),
      inputOf({ imageSize: 'large' }),
      inputOf({ resolution: '2K' }),
      inputOf({ resolution: '2K', imageSize: 'large' }),
      priced('torch-video').input,
      priced('torch-video', { audio: false }).input,
      priced('torch-video', { duration: 6 }).input,
    ];

    expect(new Set(inputs).size).toBe(inputs.length);
    expect(inputOf({ aspectRatio: '1:1' })).toBe(inputOf({ aspectRatio: '9:16' }));
  });

  it('seals in its input all that its price depends on', () => {
    const sized: MediaModel = { ...model('ember-image'), resolutions: [], imageSizes: ['small', 'large'] };

    expect([
      priced('torch-video', { duration: 6 }).input,
      priced('ember-image').input,
      pricing.price(sized, optionsOf(sized, { imageSize: 'large' })).input,
    ]).toEqual(['t2v|6|720p|-|audio', 't2i|1|1K|-|silent', 't2i|1|-|large|silent']);
  });

  it('leaves the shape of work from a picture to the picture, unless the call names one', () => {
    expect(optionsOf(model('torch-animate'), {}).aspectRatio).toBeUndefined();
    expect(optionsOf(model('ember-edit'), {}).aspectRatio).toBeUndefined();
    expect(optionsOf(model('ember-edit'), { aspectRatio: '16:9' }).aspectRatio).toBe('16:9');
    // A vendor that can't keep the shape makes the first of the model.
    expect(optionsOf(model('torch-animate'), {}).usualRatio).toBe('16:9');
    expect(optionsOf(model('torch-animate'), { aspectRatio: '9:16' }).usualRatio).toBeUndefined();
    expect(optionsOf(model('ember-image'), {}).aspectRatio).toBe('1:1');
  });

  it('is silent where the model is, or where silence is asked for', () => {
    expect(optionsOf(model('ember-image'), { audio: false }).audio).toBe(false);
    expect(optionsOf(model('ember-image'), {}).audio).toBe(false);
    expect(optionsOf(model('torch-video'), { audio: false }).audio).toBe(false);
    expect(optionsOf(model('torch-video'), { audio: true }).audio).toBe(true);
  });

  it.each([
    ['3:2', '1536x1024'],
    ['2:3', '1024x1536'],
    ['1:1', '1024x1024'],
    ['16:9', '1792x1024'],
    ['4:3', '1792x1024'],
    [undefined, '1792x1024'],
  ])('of the ratio %s is made in the size that has it, or else in the first', (aspectRatio, imageSize) => {
    const sized: MediaModel = {
      ...model('ember-image'),
      aspectRatios: ['3:2', '2:3', '1:1', '16:9', '4:3'],
      imageSizes: ['1792x1024', 'auto', '1024x1024', '1536x1024', '1024x1536'],
    };

    expect(optionsOf(sized, { aspectRatio }).imageSize).toBe(imageSize);
    expect(optionsOf(sized, { aspectRatio, imageSize: 'auto' }).imageSize).toBe('auto');
  });

  it('of an invalid ratio is refused, and not sized by it', () => {
    const sized: MediaModel = { ...model('ember-image'), aspectRatios: ['1:1'], imageSizes: ['9x9', '0x0'] };

    expect(() => optionsOf(sized, { aspectRatio: '0:0' })).toThrow(NotOffered);
    expect(optionsOf({ ...sized, aspectRatios: ['auto'] }, { aspectRatio: 'auto' }).imageSize).toBe('9x9');
  });

  it('costs its tier, its size, or what is neither, once or by the second', () => {
    const costs = new Map([
      ['default', micro(1n)],
      ['1K', micro(10n)],
      ['large', micro(100n)],
    ]);
    const cost = (options: object): bigint => costOf(costs, { audio: false, ...options });

    expect([
      cost({}),
      cost({ seconds: 5 }),
      cost({ resolution: '1K', imageSize: 'large' }),
      cost({ resolution: '2K', imageSize: 'large', seconds: 3 }),
      cost({ resolution: '2K', imageSize: 'small' }),
      costOf(new Map(), { audio: false }),
    ]).toEqual([1n, 5n, 10n, 300n, 1n, 0n]);
  });

  it('that is too dear names what would make it cheaper', () => {
    const stingy = new MediaPriceCalculator(readSettings({ PRICE_MEDIA_CAP_MICRO: '5000' }), cardOnly);
    const ask = (id: string) => (): unknown => stingy.price(model(id), optionsOf(model(id), {}));

    expect(ask('torch-video')).toThrow(expect.objectContaining({ extras: { param: 'duration' } }) as Error);
    expect(ask('ember-image')).toThrow(expect.objectContaining({ extras: { param: 'resolution' } }) as Error);
  });
});

describe('the list price of a media call', () => {
  it.each([
    [1n, 4_546n],
    [2_954n, 4_546n],
    [2_955n, 4_547n],
    [13n, 4_546n],
    [13_000n, 20_000n],
    [13_001n, 20_002n],
    [20_000n, 30_770n],
    [54_000_000n, 83_076_924n],
  ])('of a cost of %s is %s', (cost, price) => {
    expect(mediaPrice(settings.price, micro(cost))).toBe(price);
  });

  it('does not exist beyond the cap', () => {
    expect(mediaPrice(settings.price, micro(54_000_001n))).toBeUndefined();
  });

  it('leaves the markup to us, and not a micro more', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 3_000n, max: 54_000_000n }), (cost) => {
        const surplus = (mediaPrice(settings.price, micro(cost)) ?? 0n) * 13n - cost * 20n;
        expect(surplus >= 0n && surplus < 13n).toBe(true);
      }),
    );
  });
});
