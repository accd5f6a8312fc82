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
          }),
        ],
      ),
    );
  });
  afterAll(() => world.stop());

  it('of OpenAI', async () => {
    const { body } = await world.get('/v1/models');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['lamp', 'picture']);
    for (const id of ['lamp', 'picture', 'claude-lamp']) {
      expect((await world.get(`/v1/models/${id}`)).body).toEqual({
        id,
        object: 'model',
        created: 0,
        owned_by: 'lamppost',
      });
    }
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
    };
    expect((await world.get('/v1beta/models?pageSize=50')).body).toEqual({ models: [model] });
    expect((await world.get('/v1beta/models/lamp')).body).toEqual(model);
    expect((await world.get('/v1beta/models/none')).status).toBe(404);
  });

  it('of our own, with the limits of each text model', async () => {
    const { body } = await world.get('/v1/agent/models');
    expect(body.textModels[0]).toMatchObject({ contextTokens: 200_000, maxOutputTokens: 64_000 });
  });
});
