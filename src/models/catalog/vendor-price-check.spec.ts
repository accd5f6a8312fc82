import { micro } from '#kernel/money';
import type { Providers } from '#models/providers/providers';
import type { Catalog } from './catalog';
import { checkPrices } from './vendor-price-check';

const prices = (all: Readonly<Record<string, bigint>>) =>
  new Map(Object.entries(all).map(([name, value]) => [name, micro(value)]));

const LIST = new Map([
  ['dear', { input: micro(3n), output: micro(15n), cacheRead: micro(1n) }],
  ['good', { input: micro(1n), output: micro(2n) }],
]);

const providers = {
  text: (name: string) =>
    ({
      open: { prices: () => Promise.resolve(LIST) },
      mute: { prices: () => Promise.resolve(new Map()) },
      away: { prices: () => Promise.reject(new Error('away')) },
    })[name],
  media: (name: string) =>
    name === 'open'
      ? { unitCosts: () => Promise.resolve(new Map([['image', { unit: 'image', cost: micro(7n) }]])) }
      : {},
} as unknown as Providers;

const catalogWith = (
  routes: readonly object[],
  media: readonly object[] = [],
  audio: readonly object[] = [],
): Catalog =>
  ({
    all: {
      text: new Map([['m', { id: 'm', rates: { input: micro(1n), output: micro(2n) }, routes }]]),
      media: new Map([
        [
          'p',
          {
            id: 'p',
            costs: prices({ default: 5n }),
            routes: media,
            resolutions: ['1K', '2K'],
            imageSizes: [],
          },
        ],
      ]),
      audio: new Map([['s', { id: 's', unitCost: micro(14_000_000n), routes: audio }]]),
    },
  }) as unknown as Catalog;

describe('the check of the catalog by the price lists of vendors', () => {
  it('names each price that differs, and takes the prices of a route before those of the model', async () => {
    const own = { input: micro(3n), output: micro(15n), cacheRead: micro(2n) };
    const found = await checkPrices(
      catalogWith([
        { provider: 'open', model: 'good' },
        { provider: 'open', model: 'dear' },
        { provider: 'open', model: 'dear', prices: own },
      ]),
      providers,
    );

    expect(found.map(({ outcome, differences }) => [outcome, differences])).toEqual([
      ['same', []],
      [
        'differs',
        [
          { price: 'input', ours: 1n, theirs: 3n },
          { price: 'output', ours: 2n, theirs: 15n },
        ],
      ],
      ['differs', [{ price: 'cacheRead', ours: 2n, theirs: 1n }]],
    ]);
  });

  it('says of which vendors nothing is known', async () => {
    const routes = [
      { provider: 'open', model: 'new' },
      { provider: 'mute', model: 'good' },
      { provider: 'away', model: 'good' },
    ];

    const found = await checkPrices(catalogWith(routes), providers);

    expect(found.map(({ outcome }) => outcome)).toEqual(['unlisted', 'silent', 'unreachable']);
  });

  it('compares the price of a unit of media', async () => {
    const media = ['open', 'mute'].map((provider) => ({ provider, model: 'image' }));

    const found = await checkPrices(catalogWith([], media), providers);

    expect(found).toMatchObject([
      { modelId: 'p', outcome: 'differs', differences: [{ price: 'default', ours: 5n, theirs: 7n }] },
      { outcome: 'silent' },
    ]);
  });

  it('compares media and sound with the book of media, by size, if the vendor has no list', async () => {
    const media = [{ provider: 'bfl', model: 'flux-kontext-pro' }];
    const costs = prices({ default: 3_000n, '2K': 15_000n });
    const flux = { provider: 'fal', model: 'fal-ai/flux/schnell', costs };

    const found = await checkPrices(
      catalogWith([], [...media, flux], [{ provider: 'openai', model: 'tts-1' }]),
      providers,
    );

    expect(found.map(({ outcome, differences }) => [outcome, differences])).toEqual([
      [
        'differs',
        [
          { price: '1K', ours: 5n, theirs: 40_000n },
          { price: '2K', ours: 5n, theirs: 40_000n },
        ],
      ],
      ['same', []],
      ['differs', [{ price: 'default', ours: 14_000_000n, theirs: 15_000_000n }]],
    ]);
  });
});
