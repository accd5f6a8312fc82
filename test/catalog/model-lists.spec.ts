import { catalogOf, pictureEntry, textEntry } from '../support/catalogs';
import { World } from '../support/world';

const ANTHROPIC = { 'anthropic-version': '2023-06-01' };

describe('the lists of models in the shapes of the makers', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(
      catalogOf(
        [pictureEntry('picture', ['sandbox:t2i'])],
        [
          textEntry('lamp', ['sandbox:chat'], {
            aliases: ['claude-lamp'],
            contextTokens: 200_000,
            maxOutputTokens: 64_000,
            vision: true,
            reasoning: true,
            tools: true,
          }),
        ],
      ),
    );
  });
  afterAll(() => world.stop());

  /** The rates of the text model, in its own list. */
  const pricing = async () => {
    const [model] = (await world.get('/v1/agent/models')).body.textModels as Record<string, unknown>[];
    const rates = Object.entries(model!).filter(
      ([name]) => name.endsWith('UsdPerMtok') && !name.startsWith('chat'),
    );
    return Object.fromEntries(rates);
  };

  it('of OpenAI', async () => {
    const { body } = await world.get('/v1/models');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['lamp', 'picture']);
    for (const id of ['lamp', 'picture', 'claude-lamp']) {
      expect((await world.get(`/v1/models/${id}`)).body).toEqual({
        id,
        object: 'model',
        created: 0,
        owned_by: 'lamppost',
        ...(id === 'picture'
          ? {}
          : {
              context_length: 200_000,
              max_output_tokens: 64_000,
              input_modalities: ['text', 'image'],
              supported_features: ['tools', 'reasoning'],
              pricing: await pricing(),
            }),
      });
    }
    expect(body.data[0].pricing).toEqual(await pricing());
    expect((await world.get('/v1/models/none')).status).toBe(404);
  });

  it('of Anthropic', async () => {
    const model = {
      type: 'model',
      id: 'lamp',
      display_name: 'lamp',
      created_at: '1970-01-01T00:00:00Z',
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      capabilities: {
        image_input: { supported: true },
        thinking: { supported: true },
        tools: { supported: true },
      },
      pricing: await pricing(),
    };
    expect((await world.get('/v1/models?limit=1000', ANTHROPIC)).body).toEqual({
      data: [model],
      has_more: false,
      first_id: 'lamp',
      last_id: 'lamp',
    });
    expect((await world.get('/v1/models/claude-lamp', ANTHROPIC)).body).toEqual({
      ...model,
      id: 'claude-lamp',
    });
    expect((await world.get('/v1/models/picture', ANTHROPIC)).status).toBe(404);
  });

  it('of Google', async () => {
    const model = {
      name: 'models/lamp',
      displayName: 'lamp',
      version: '1',
      inputTokenLimit: 200_000,
      outputTokenLimit: 64_000,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
      thinking: true,
      inputModalities: ['text', 'image'],
      functionCalling: true,
      pricing: await pricing(),
    };
    expect((await world.get('/v1beta/models?pageSize=50')).body).toEqual({ models: [model] });
    expect((await world.get('/v1beta/models/lamp')).body).toEqual(model);
    expect((await world.get('/v1beta/models/none')).status).toBe(404);
  });

  it('of our own, with the limits of each text model', async () => {
    const { body } = await world.get('/v1/agent/models');
    expect(body.textModels[0]).toMatchObject({
      contextTokens: 200_000,
      maxOutputTokens: 64_000,
      inputs: ['text', 'image'],
      tools: true,
    });
  });
});
