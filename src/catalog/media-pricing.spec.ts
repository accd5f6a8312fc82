import { readSettings } from '../platform/config/settings';
import { Catalog, type MediaModel } from './catalog';
import { NotOffered, TooDear } from './catalog.errors';
import type { LiveCosts } from './live-costs';
import { MediaPricing, type MediaWishes, optionsOf } from './media-pricing';

const settings = readSettings({});
const catalog = new Catalog(settings);
const cardOnly = { of: ({ costs }: MediaModel) => ({ costs, live: false }) } as unknown as LiveCosts;
const pricing = new MediaPricing(settings, cardOnly);
const model = (id: string): MediaModel => catalog.media.get(id)!;
const priced = (id: string, wishes: MediaWishes = {}) =>
  pricing.price(model(id), optionsOf(model(id), wishes));

describe('a media call', () => {
  it.each<[string, MediaWishes, bigint, bigint]>([
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
  ])('of %s with %j costs what its units cost', (id, wishes, cost, list) => {
    expect(priced(id, wishes)).toMatchObject({ modelId: id, cost, list, floor: 4_546n, live: false });
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

  it.each<[string, MediaWishes, string]>([
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
  ])('of %s with %j is refused with what there is', (id, wishes, message) => {
    const ask = (): unknown => optionsOf(model(id), wishes);

    expect(ask).toThrow(NotOffered);
    expect(ask).toThrow(message);
  });

  it('is refused when it would pass the cap', () => {
    const stingy = readSettings({ PRICE_MEDIA_CAP_MICRO: '83076923' });
    const cinema = model('torch-video-cinema');

    const ask = (): unknown =>
      new MediaPricing(stingy, cardOnly).price(cinema, optionsOf(cinema, { duration: 60, resolution: '4K' }));

    expect(ask).toThrow(TooDear);
  });

  it('is another call as soon as anything differs that its price may depend on', () => {
    const both: MediaModel = { ...model('ember-image'), imageSizes: ['small', 'large'] };
    const inputOf = (wishes: MediaWishes): string => pricing.price(both, optionsOf(both, wishes)).input;

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
});
