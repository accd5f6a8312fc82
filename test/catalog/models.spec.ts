import defaultCatalog from '../../src/models/catalog/default-catalog.json';
import { World } from '../support/world';

/** The rows of the service's description, in its order: input and output, USD per million tokens. */
const ROWS = [
  ['0.22', '0.43'],
  ['0.15', '0.77'],
  ['0.23', '0.77'],
  ['0.40', '1.20'],
  ['0.46', '3.85'],
  ['1.11', '1.11'],
  ['1.46', '6.15'],
  ['3.08', '9.23'],
  ['3.08', '15.38'],
  ['0.23', '0.92'],
  ['0.49', '1.97'],
  ['4.62', '23.08'],
  ['1.92', '3.85'],
];

/** The price of `/v1/agent/chat` for a million of each: ten thirds of the rate, rounded up to a micro. */
const CHARGED = [
  ['0.733334', '1.433334'],
  ['0.500000', '2.566667'],
  ['0.766667', '2.566667'],
  ['1.333334', '4.000000'],
  ['1.533334', '12.833334'],
  ['3.700000', '3.700000'],
  ['4.866667', '20.500000'],
  ['10.266667', '30.766667'],
  ['10.266667', '51.266667'],
  ['0.766667', '3.066667'],
  ['1.633334', '6.566667'],
  ['15.400000', '76.933334'],
  ['6.400000', '12.833334'],
];

interface TextModel {
  readonly id: string;
  readonly name: string;
  readonly inputUsdPerMtok: string;
  readonly outputUsdPerMtok: string;
  readonly chatInputUsdPerMtok: string;
  readonly chatOutputUsdPerMtok: string;
  readonly default?: boolean;
  readonly openWeights?: boolean;
}

interface MediaModel {
  readonly id: string;
  readonly mode: string;
  readonly private?: boolean;
  readonly pricing: { readonly unit: string; readonly priceMicro: Record<string, number> };
}

describe('GET /v1/agent/models', () => {
  let world: World;
  let models: readonly MediaModel[];
  let textModels: readonly TextModel[];
  let audioModels: readonly { readonly id: string }[];

  beforeAll(async () => {
    world = await World.start();
    ({ models, textModels, audioModels } = (await world.get('/v1/agent/models')).body);
  });
  afterAll(() => world.stop());

  it('lists the thirteen text models in their order, at their rates', () => {
    expect(textModels.map((model) => [model.inputUsdPerMtok, model.outputUsdPerMtok])).toEqual(ROWS);
    expect(textModels.filter((model) => model.default).map(({ id }) => id)).toEqual([textModels[0]?.id]);
    expect(textModels.findIndex((model) => model.openWeights)).toBe(5);
  });

  it('says beside each what chat really charges', () => {
    expect(textModels.map((model) => [model.chatInputUsdPerMtok, model.chatOutputUsdPerMtok])).toEqual(
      CHARGED,
    );
  });

  it('shows what each image and each second costs', () => {
    expect(
      Object.fromEntries(models.map(({ id, pricing }) => [id, [pricing.unit, pricing.priceMicro]])),
    ).toEqual({
      'ember-image': ['image', { default: 30_770, '2K': 153_847 }],
      'ember-image-fast': ['image', { default: 4_616 }],
      'ember-image-studio': ['image', { default: 64_616, '1536x1024': 96_924, '1024x1536': 96_924 }],
      'veil-image': ['image', { default: 100_000, '2K': 400_000 }],
      'ember-edit': ['image', { default: 46_154, '2K': 92_308 }],
      'torch-video': ['second', { default: 76_924, '1080p': 184_616 }],
      'torch-video-cinema': ['second', { default: 307_693, '1080p': 615_385, '4K': 1_384_616 }],
      'torch-animate': ['second', { default: 76_924, '1080p': 153_847 }],
      'mask-swap': ['image', { default: 76_924 }],
      'puppet-motion': ['second', { default: 92_308, '720p': 153_847 }],
    });
    expect(models.filter((model) => model.private).map(({ id }) => id)).toEqual(['veil-image']);
  });

  it('says nothing of who makes it, or for how much', async () => {
    const [agent, list] = [await world.get('/v1/agent/models'), await world.get('/v1/models')];
    // An alias is a name that callers may use. It must not say which vendor answers first.
    const revealing = defaultCatalog.text.filter(({ aliases = [], routes }) => {
      const makers = new Set(aliases.map((alias) => alias.split('-')[0]));
      return makers.size < 2 && aliases.includes(routes[0]?.model ?? '');
    });
    expect(revealing.map(({ id }) => id)).toEqual([]);
    const text = JSON.stringify([agent.body, list.body], (name, value: unknown) =>
      name === 'aliases' ? undefined : value,
    );

    expect(text).not.toMatch(
      /sandbox|openai|\bfal\b|fal-ai|replicate|flux|veo|sora|kling|gpt|routes|provider|cost|deadline/i,
    );
    expect(text).not.toContain('0.02');
  });

  it('has the names that agents use, with the limits of each model', async () => {
    const { body } = await world.get('/v1/agent/models');
    const names = body.textModels.flatMap(({ aliases = [] }: { aliases?: string[] }) => aliases);
    expect(names).toEqual(
      expect.arrayContaining([
        'claude-haiku-4-5-20251001',
        'claude-opus-4-8',
        'gpt-5.5',
        'gemini-3-flash-preview',
      ]),
    );
    for (const model of body.textModels)
      expect(model).toMatchObject({ contextTokens: expect.any(Number), maxOutputTokens: expect.any(Number) });
  });

  it('is the same in the shape that chat clients know', async () => {
    const { body } = await world.get('/v1/models');

    expect(body.object).toBe('list');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([
      ...textModels.map(({ id }) => id),
      ...models.map(({ id }) => id),
      ...audioModels.map(({ id }) => id),
    ]);
    expect(body.data[0]).toMatchObject({
      id: 'lumen-flash',
      object: 'model',
      created: 0,
      owned_by: 'lamppost',
      context_length: expect.any(Number),
    });
  });
});
