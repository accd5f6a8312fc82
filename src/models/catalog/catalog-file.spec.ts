import { MEDIA_MODES } from '#models/providers/media-mode';
import { BadCatalog, type Served, readCatalogFile } from './catalog-file';

const SERVED: Served = new Map([
  ['sandbox', { text: true, modes: MEDIA_MODES }],
  ['painter', { text: false, modes: ['t2i'] }],
]);

const image = {
  id: 'pic',
  name: 'Pic',
  mode: 't2i',
  aspectRatios: [],
  resolutions: ['1K', '2K'],
  imageSizes: [],
  durations: [] as number[],
  pricing: { unit: 'image', usd: { default: '0.02' } as Record<string, string> },
  routes: [{ provider: 'sandbox', model: 'image' }],
};
const video = {
  ...image,
  id: 'clip',
  name: 'Clip',
  mode: 't2v',
  durations: [4, 8],
  pricing: { unit: 'second', usd: { default: '0.05' } },
};
const text = {
  id: 'talk',
  name: 'Talk',
  inputUsdPerMtok: '0.22',
  outputUsdPerMtok: '0.43',
  routes: [{ provider: 'sandbox', model: 'chat' }],
};
const file = (media: readonly object[], texts: readonly object[] = [text]): object => ({
  media,
  text: texts,
});

const problemsOf = (json: unknown): readonly string[] => {
  try {
    readCatalogFile(json, SERVED);
    return [];
  } catch (error) {
    if (error instanceof BadCatalog) return error.problems;
    throw error;
  }
};

describe('a catalog file', () => {
  it.each<[string, unknown, readonly string[]]>([
    [
      'an unknown field',
      { tokens: 'x' },
      ['.tokens is not a field of this.', '.base is required.', '.above is required.'],
    ],
    [
      'a wrong step',
      { base: '1', above: [{ tokens: 'x', usd: '2' }] },
      ['.above[0].tokens must be a whole number.'],
    ],
    ['no characters', '', [' must be at least 1 character long.']],
    ['another type', 3, [' must be of type string.']],
  ])('names the fault of a rate with %s, and not the other form of a rate', (_, rate, faults) => {
    const problems = problemsOf(file([], [{ ...text, inputUsdPerMtok: rate }]));
    const expected = faults.map((fault) => `text[0].inputUsdPerMtok${fault}`);
    expect(problems.toSorted()).toEqual(expected.toSorted());
  });

  it('is refused with all misspelt fields and other mistakes of form at once', () => {
    const wrong = file(
      [{ ...image, adultOnly: true, routes: [{ ...image.routes[0], wieght: 2 }] }],
      [{ ...text, inputUsdPerMtok: 3 }],
    );
    expect(problemsOf({ ...wrong, texts: [] }).toSorted()).toEqual([
      'media[0].adultOnly is not a field of this. Did you mean adultsOnly?',
      'media[0].routes[0].wieght is not a field of this. Did you mean weight?',
      'text[0].inputUsdPerMtok must be of type string.',
      'texts is not a field of this. Did you mean text?',
    ]);
  });

  it('is refused with the mistakes of meaning in the other entries at the same time', () => {
    const json = {
      media: [
        { ...image, adultOnly: true },
        { ...image, id: 'other', replacedBy: 'pic', routes: [{ provider: 'nobody', model: 'm' }] },
      ],
      text: [7, { ...text, markup: '1/2' }, { ...text, id: 'two', replacedBy: 'none' }],
    };
    expect(problemsOf(json).toSorted()).toEqual([
      'media[0].adultOnly is not a field of this. Did you mean adultsOnly?',
      'media[1] (other).routes[0].provider is nobody; the providers are sandbox, painter',
      'text[0] must be of type object.',
      'text[1] (talk).markup is 1/2; below 1 the model would sell below its cost, which belowCost: true permits',
      'text[2] (two).replacedBy is none, which is no model of the same list',
    ]);
    for (const broken of [null, [], 7, { media: 'x', text: null }])
      expect(problemsOf(broken)).not.toEqual([]);
  });

  it('is fine when it says what it should', () => {
    const sound = file([image, video]);

    expect(readCatalogFile(sound, SERVED)).toMatchObject(sound);
  });

  it('may name one default of each kind, and several of a kind without', () => {
    const json = file(
      [
        { ...image, default: true },
        { ...image, id: 'b' },
        { ...image, id: 'c', routes: [{ provider: 'painter', model: 'x' }] },
        { ...video, default: true },
      ],
      [
        { ...text, default: true },
        { ...text, id: 'd' },
      ],
    );

    expect(problemsOf(json)).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      'an unknown mode',
      file([image, { ...image, id: 'b', mode: 't2x' }]),
      'media[1].mode must be one of t2i, i2i, t2v, i2v, swap, motion.',
    ],
    [
      'a price of 0',
      file([{ ...image, pricing: { unit: 'image', usd: { default: '0' } } }]),
      'media[0] (pic).pricing.usd.default is 0; it must be decimal USD above 0',
    ],
    [
      'a price below 0',
      file([{ ...image, pricing: { unit: 'image', usd: { default: '-1' } } }]),
      'media[0] (pic).pricing.usd.default is -1; it must be decimal USD above 0',
    ],
    [
      'a price with an exponent',
      file([{ ...image, pricing: { unit: 'image', usd: { default: '1e2' } } }]),
      'media[0] (pic).pricing.usd.default is 1e2; it must be decimal USD above 0',
    ],
    [
      'a price finer than a micro',
      file([{ ...image, pricing: { unit: 'image', usd: { default: '0.0000001' } } }]),
      'media[0] (pic).pricing.usd.default is 0.0000001; it must be decimal USD above 0',
    ],
    [
      'no default price',
      file([{ ...image, pricing: { unit: 'image', usd: { '1K': '1' } } }]),
      'media[0].pricing.usd.default is required.',
    ],
    [
      'a number for a price',
      file([{ ...image, pricing: { unit: 'image', usd: { default: 0.02 } } }]),
      'media[0].pricing.usd.default must be of type string.',
    ],
    [
      'a price for a tier that is not there',
      file([{ ...image, pricing: { unit: 'image', usd: { default: '1', '4K': '2' } } }]),
      "media[0] (pic).pricing.usd.4K prices a tier that the model doesn't list",
    ],
    [
      'two defaults of a mode',
      file([
        { ...image, default: true },
        { ...image, id: 'b', default: true },
      ]),
      'media[1] (b).default: mode t2i has two defaults',
    ],
    [
      'two text defaults',
      file(
        [],
        [
          { ...text, default: true },
          { ...text, id: 'b', default: true },
        ],
      ),
      'text[1] (b).default: text has two defaults',
    ],
    [
      'a provider that does not exist',
      file([{ ...image, routes: [...image.routes, { provider: 'acme', model: 'x' }] }]),
      'media[0] (pic).routes[1].provider is acme; the providers are sandbox, painter',
    ],
    [
      'a text route to a provider that does not exist',
      file([], [{ ...text, routes: [{ provider: 'acme', model: 'x' }] }]),
      'text[0] (talk).routes[0].provider is acme; the providers are sandbox, painter',
    ],
    [
      'a route to somebody who does not make that',
      file([{ ...video, routes: [{ provider: 'painter', model: 'x' }] }]),
      'media[0] (clip).routes[0].provider is painter, which makes no t2v',
    ],
    [
      'a text route to somebody who makes no texts',
      file([], [{ ...text, routes: [{ provider: 'painter', model: 'x' }] }]),
      'text[0] (talk).routes[0].provider is painter, which makes no text',
    ],
    ['no route at all', file([{ ...image, routes: [] }]), 'media[0].routes must hold at least 1 item.'],
    ['an id twice', file([image, { ...video, id: 'pic' }]), 'media[1] (pic).id: pic occurs twice'],
    [
      'an alias that is an id',
      file([image, { ...video, aliases: ['x', 'pic'] }]),
      'media[1] (clip).aliases[1]: pic occurs twice',
    ],
    [
      'a day that is none',
      file([{ ...image, retiresOn: '2026-13-40' }]),
      'media[0] (pic).retiresOn is 2026-13-40, which is no day',
    ],
    ['an id twice, once as text', file([{ ...image, id: 'talk' }]), 'text[0] (talk).id: talk occurs twice'],
    [
      'a video without seconds',
      file([{ ...video, durations: [] }]),
      'media[0] (clip).durations must list the seconds it can make',
    ],
    [
      'seconds that fall',
      file([{ ...video, durations: [8, 4] }]),
      'media[0] (clip).durations must rise from step to step',
    ],
    [
      'seconds that stand twice',
      file([{ ...video, durations: [4, 4] }]),
      'media[0] (clip).durations must rise from step to step',
    ],
    [
      'an image with seconds',
      file([{ ...image, durations: [4] }]),
      'media[0] (pic).durations must be empty for mode t2i, which is sold by the image',
    ],
    [
      'a video sold by the image',
      file([{ ...video, pricing: { unit: 'image', usd: { default: '1' } } }]),
      'media[0] (clip).pricing.unit must be second for mode t2v',
    ],
    [
      'an id with a space',
      file([{ ...image, id: 'a b' }]),
      String.raw`media[0].id must match ^[A-Za-z0-9](?:[\w.:/@-]{0,98}\w)?$.`,
    ],
    [
      'a text rate of 0',
      file([], [{ ...text, outputUsdPerMtok: '0.00' }]),
      'text[0] (talk).outputUsdPerMtok is 0.00; it must be decimal USD above 0',
    ],
    [
      'a size without a word',
      file([{ ...image, imageSizes: [''] }]),
      'media[0].imageSizes[0] must be at least 1 character long.',
    ],
    [
      'sizes that are no list',
      file([{ ...image, imageSizes: '1x1' }]),
      'media[0].imageSizes must be of type array.',
    ],
    ['no media list', { text: [text] }, 'media is required.'],
    ['a list instead of an object', [], 'The body must be of type object.'],
  ])('is refused for %s, with the place', (_what, json, problem) => {
    expect(problemsOf(json)).toContain(problem);
  });

  it.each([
    [{ usdPerMchar: undefined }, 'audio[0] (voice).usdPerMchar is missing; it must be decimal USD above 0'],
    [{ usdPerHour: '1' }, 'audio[0] (voice).usdPerHour is no price of speech'],
    [{ voices: undefined }, 'audio[0] (voice).voices belongs to models of speech, and is required there'],
    [{ formats: ['aac'] }, 'audio[0] (voice).formats has aac, which none of its routes makes'],
    [{ id: 'talk' }, 'audio[0] (talk).id: talk occurs twice'],
  ])('is refused for audio with %j', (change, problem) => {
    const voice = {
      id: 'voice',
      name: 'Voice',
      kind: 'speech',
      usdPerMchar: '15',
      voices: ['alloy'],
      formats: ['mp3'],
      routes: [{ provider: 'sandbox', model: 'speech' }],
    };

    expect(problemsOf({ ...file([], [text]), audio: [{ ...voice, ...change }] })).toContain(problem);
  });

  it('is refused if a release is no alias of its model, or belongs to no model of text', () => {
    const routes = [{ provider: 'sandbox', model: 'x', releases: { other: 'x' } }];
    expect(problemsOf(file([{ ...image, routes }], [{ ...text, routes }]))).toEqual([
      'media[0] (pic).routes[0].releases.other is no alias of the model',
      'text[0] (talk).routes[0].releases.other is no alias of the model',
    ]);
    const named = { ...text, aliases: ['other'], routes };
    expect(problemsOf(file([image], [named]))).toEqual([]);
  });

  it('is refused for all its faults at once', () => {
    const json = file(
      [{ ...image, routes: [{ provider: 'acme', model: 'x' }] }, video],
      [{ ...text, inputUsdPerMtok: '0' }],
    );

    expect(problemsOf(json)).toHaveLength(2);
  });
});
