import { Logger } from '@nestjs/common';

import { readSettings } from '../../../settings';
import { vendorOf } from '../vendors';
import { type ListedModel, dayIn } from './listed-model';
import { isSellableName } from './sellable-models';
import { type ModelList, listedModels } from './model-list';

const { providers } = readSettings({
  OPENAI_COMPATIBLE_SERVERS: 'router',
  ROUTER_BASE_URL: 'https://openrouter.ai/api/v1',
  VERTEX_PROJECT: 'a-project',
  ALLOW_SANDBOX_MIX: 'true',
});
const listOf = (name: string): ModelList => {
  const own = providers.find((each) => each.name === name)!;
  return vendorOf(own).models!(own);
};
const read = (name: string, page: unknown, path?: string) => {
  const list = listOf(name);
  const found = list.read(page, path ?? list.paths[0]!);
  return Object.fromEntries(
    (found ?? []).flatMap((model) => (model === undefined ? [] : [[model.id, model]])),
  ) as Record<string, ListedModel>;
};
const NOT_TEXT = 'it is no model for conversations';

/** The forms of the lists are those of the makers' references on 2026-11-28. */
describe('the list of', () => {
  it('OpenAI has names only', () => {
    const ids = [
      'gpt-5.2',
      'gpt-4o',
      'o3-mini',
      'gpt-5-pro',
      'gpt-image-1.5',
      'tts-1',
      'whisper-1',
      'gpt-realtime',
      'text-embedding-3-small',
    ];
    const found = read('openai', {
      object: 'list',
      data: [...ids.map((id) => ({ id, object: 'model', created: 1, owned_by: 'openai' })), { id: 7 }, null],
    });
    expect(found['gpt-5.2']).toMatchObject({ vision: true, reasoning: true, maxOutputTokens: 128_000 });
    expect(found['gpt-4o']).toMatchObject({ vision: true, reasoning: false });
    expect(found['o3-mini']).toMatchObject({ vision: false, reasoning: true });
    expect(Object.entries(found).flatMap(([id, { why }]) => (why === undefined ? [] : [[id, why]]))).toEqual([
      ['gpt-5-pro', 'its maker does not serve it by chat completions'],
      ...['gpt-image-1.5', 'tts-1', 'whisper-1', 'gpt-realtime', 'text-embedding-3-small'].map((id) => [
        id,
        NOT_TEXT,
      ]),
    ]);
  });

  it.each([
    ['openai', 'gpt-4o-search-preview', undefined],
    ['openai', 'gpt-4o-mini-search-preview-2025-03-11', undefined],
    ['openai', 'gpt-5-search-api', undefined],
    ['router', 'openai/gpt-4o-mini-search-preview', '0.0275'],
    ['router', 'openai/o4-mini-deep-research', '0.01'],
    ['router', 'perplexity/sonar-pro', '0.005'],
    ['router', 'gpt-4o-search-preview', undefined],
  ])('%s has %s, whose searches cost more than its tokens', (vendor, id, fee) => {
    const pricing = fee && { prompt: '0.000001', completion: '0.000002', web_search: fee };
    expect(read(vendor, { data: [{ id, pricing }] })[id]?.why).toBe(
      'its vendor also charges for each of its searches, which no count shows',
    );
  });

  it('a server has models that search for nothing, or only on request', () => {
    const pricing = { prompt: '0.000001', completion: '0.000002' };
    const found = read('router', {
      data: [
        { id: 'relace/relace-search', pricing },
        { id: 'anthropic/claude-sonnet-4.5', pricing: { ...pricing, web_search: '0.01' } },
        { id: 'nousresearch/hermes-4-70b', pricing: { ...pricing, web_search: '0.01' } },
      ],
    });
    expect(Object.values(found).map(({ why }) => why)).toEqual([undefined, undefined, undefined]);
  });

  it('Anthropic has pages', () => {
    const page = {
      data: [
        {
          type: 'model',
          id: 'claude-haiku-4-5-20251001',
          display_name: 'Claude Haiku 4.5',
          max_input_tokens: 200_000,
        },
      ],
      has_more: true,
      last_id: 'claude-haiku-4-5-20251001',
    };
    expect(read('anthropic', page)['claude-haiku-4-5-20251001']).toMatchObject({
      name: 'Claude Haiku 4.5',
      contextTokens: 200_000,
      maxOutputTokens: 64_000,
      vision: true,
    });
    const list = listOf('anthropic');
    expect(list.next?.(page, list.paths[0]!)).toBe('models?limit=1000&after_id=claude-haiku-4-5-20251001');
    expect(list.next?.({ ...page, has_more: false }, list.paths[0]!)).toBeUndefined();
  });

  it('Gemini has limits and methods', () => {
    const model = (name: string, methods: readonly string[]) => ({
      name: `models/${name}`,
      displayName: name,
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: methods,
      thinking: true,
    });
    const page = {
      models: [
        model('gemini-3.5-flash', ['generateContent', 'countTokens']),
        model('gemini-2.5-flash-image', ['generateContent']),
        model('gemini-embedding-001', ['embedContent']),
        model('veo-3.1-generate-preview', ['predictLongRunning']),
      ],
      nextPageToken: 'next page',
    };
    const found = read('gemini', page);
    expect(found['gemini-3.5-flash']).toMatchObject({
      contextTokens: 1_048_576,
      maxOutputTokens: 65_536,
      reasoning: true,
    });
    expect(Object.values(found).filter(({ why }) => why === undefined)).toHaveLength(1);
    const list = listOf('gemini');
    expect(list.next?.(page, list.paths[0]!)).toBe('models?pageSize=1000&pageToken=next%20page');
    expect(list.next?.({ models: [] }, list.paths[0]!)).toBeUndefined();
  });

  it('Vertex has the models of Google, in the beta version', () => {
    expect(listOf('vertex').baseUrl).toBe('https://aiplatform.googleapis.com/v1beta1');
    const found = read('vertex', {
      publisherModels: [
        { name: 'publishers/google/models/gemini-2.5-pro' },
        { name: 'publishers/google/models/imagegeneration' },
      ],
    });
    expect(found['gemini-2.5-pro']).toMatchObject({ maxOutputTokens: 65_535 });
    expect(found['imagegeneration']).toMatchObject({ why: NOT_TEXT });
  });

  it('Mistral has capabilities and successors', () => {
    const found = read('mistral', {
      data: [
        {
          id: 'mistral-large-2512',
          capabilities: { completion_chat: true, vision: true },
          max_context_length: 262_144,
          deprecation: '2027-01-31T12:00:00Z',
          deprecation_replacement_model: 'mistral-large-2701',
        },
        { id: 'mistral-ocr-latest', capabilities: { completion_chat: false } },
      ],
    });
    expect(found['mistral-large-2512']).toMatchObject({
      contextTokens: 262_144,
      vision: true,
      retiresOn: '2027-01-31',
      replacedBy: 'mistral-large-2701',
    });
    expect(found['mistral-ocr-latest']).toMatchObject({ why: NOT_TEXT });
  });

  it('xAI has other names of a model', () => {
    const found = read('xai', {
      data: [
        { id: 'grok-4-0709', aliases: ['grok-4', 'claude-opus-5', 'my-grok'] },
        { id: 'grok-imagine-image' },
      ],
    });
    expect(found['grok-4-0709']).toMatchObject({ aliases: ['grok-4'] });
    expect(found['grok-imagine-image']).toMatchObject({ why: NOT_TEXT });
  });

  it('Bedrock has models on demand and inference profiles', () => {
    const models = read('bedrock', {
      modelSummaries: [
        {
          modelId: 'openai.gpt-oss-120b-1:0',
          modelName: 'gpt-oss-120b',
          inputModalities: ['TEXT'],
          outputModalities: ['TEXT'],
          inferenceTypesSupported: ['ON_DEMAND'],
          modelLifecycle: { status: 'ACTIVE' },
        },
        {
          modelId: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
          outputModalities: ['TEXT'],
          inferenceTypesSupported: ['INFERENCE_PROFILE'],
        },
        {
          modelId: 'amazon.titan-image-generator-v2:0',
          outputModalities: ['IMAGE'],
          inferenceTypesSupported: ['ON_DEMAND'],
        },
      ],
    });
    expect(models['openai.gpt-oss-120b-1:0']).toMatchObject({ makersId: 'gpt-oss-120b', vision: false });
    expect(models['openai.gpt-oss-120b-1:0']?.why).toBeUndefined();
    expect(models['anthropic.claude-sonnet-4-5-20250929-v1:0']?.why).toMatch(/inference profiles/);
    expect(models['amazon.titan-image-generator-v2:0']?.why).toBe(NOT_TEXT);
    const profiles = read(
      'bedrock',
      {
        inferenceProfileSummaries: [
          { inferenceProfileId: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', status: 'ACTIVE' },
        ],
      },
      listOf('bedrock').paths[1],
    );
    expect(profiles['us.anthropic.claude-sonnet-4-5-20250929-v1:0']).toMatchObject({
      makersId: 'claude-sonnet-4-5-20250929',
      vision: true,
    });
  });

  it('a server has prices of a token (OpenRouter) or of a million (Together), or none', () => {
    const found = read('router', {
      data: [
        {
          id: 'anthropic/claude-sonnet-4.5',
          context_length: 1_000_000,
          architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
          pricing: {
            prompt: '0.000003',
            completion: '0.000015',
            input_cache_read: '0.0000003',
            request: '0',
          },
          top_provider: { max_completion_tokens: 64_000 },
          supported_parameters: ['reasoning', 'tools'],
        },
        { id: 'perplexity/sonar', pricing: { prompt: '0.000001', completion: '0.000001', request: '0.005' } },
        { id: 'draws', architecture: { output_modalities: ['image', 'text'] } },
        { id: 'my-own-model', max_model_len: 32_768 },
      ],
    });
    expect(found['anthropic/claude-sonnet-4.5']).toMatchObject({
      vision: true,
      reasoning: true,
      maxOutputTokens: 64_000,
      prices: { input: 3_000_000n, output: 15_000_000n, cacheRead: 300_000n },
    });
    expect(found['perplexity/sonar']).toMatchObject({ why: 'it has a price of another unit (request)' });
    expect(found['draws']).toMatchObject({ why: NOT_TEXT });
    expect(found['my-own-model']).toMatchObject({ contextTokens: 32_768 });
    expect(found['my-own-model']?.prices).toBeUndefined();
    const together = read('router', [{ id: 'a/b', type: 'chat', pricing: { input: 0.88, output: 0.9 } }]);
    expect(together['a/b']?.prices).toEqual({ input: 880_000n, output: 900_000n });
  });

  describe('a server whose prices', () => {
    const BASE = { prompt: '0.000001', completion: '0.000002', web_search: '0.01', request: '0' };
    const priced = (pricing: object) =>
      read('router', [{ id: 'a/b', pricing: { ...BASE, ...pricing } }])['a/b']!;

    it('rise with the input has steps, each from its number on', () => {
      const { prices, why } = priced({
        input_cache_write_1h: '0.000002',
        internal_reasoning: '0.000003',
        overrides: [
          { min_prompt_tokens: 200_000, prompt: '0.000004', completion: '0.000006' },
          { min_prompt_tokens: 100_000, prompt: '0.000002', completion: null, utc_start: null },
        ],
      });
      expect(why).toBeUndefined();
      expect(prices).toEqual({
        input: 1_000_000n,
        output: 3_000_000n,
        cacheWrite1h: 2_000_000n,
        above: [
          { tokens: 99_999, prices: { input: 2_000_000n, output: 3_000_000n, cacheWrite1h: 2_000_000n } },
          { tokens: 199_999, prices: { input: 2_000_000n, output: 6_000_000n, cacheWrite1h: 2_000_000n } },
        ],
      });
    });

    it.each([
      [{ image: '0.005' }, 'it has a price of another unit (image)'],
      [{ image_token: '0.000005' }, 'it has a price of another unit (image_token)'],
      [{ of_tomorrow: { a: 1 } }, 'it has a price of another unit (of_tomorrow)'],
      // Terminals, logs and pages show the reason.
      [{ '\u001b[2Jfree\u202e': '1' }, 'it has a price of another unit'],
      [{ ['x'.repeat(1_000)]: '1' }, 'it has a price of another unit'],
      [{ input_cache_write: '-1' }, 'it has a negative price (input_cache_write: "-1")'],
      [{ input_cache_write: -9e-8 }, 'it has a negative price (input_cache_write: -9e-8)'],
      [{ prompt: 'a\u202eb' }, 'it has a price that cannot be read (prompt: "a\\u{202e}b")'],
      [{ prompt: 'x'.repeat(99) }, `it has a price that cannot be read (prompt: "${'x'.repeat(24)}...")`],
      [{ prompt: { of: 'x'.repeat(99) } }, 'it has a price that cannot be read (prompt: an object)'],
      [{ prompt: '1e99' }, 'it has a price that cannot be read (prompt: "1e99")'],
      [{ overrides: [{ utc_start: '00:00', prompt: '0.1' }] }, 'its price depends on the time of day'],
      [
        { overrides: [{ min_prompt_tokens: 9, image: '1' }], image: '0' },
        'it has a price of another unit (image)',
      ],
      [
        { overrides: [{ min_prompt_tokens: 9, input_cache_write: '1' }] },
        'the steps of its price cannot be read',
      ],
      [{ overrides: [{ prompt: '1' }] }, 'the steps of its price cannot be read'],
      [{ overrides: { prompt: '1' } }, 'the steps of its price cannot be read'],
    ])('are %j is not sold', (pricing, why) => {
      expect(priced(pricing).why).toBe(why);
    });

    it.each(['9e-8', '9e-08', '0.9E-7', 9e-8, '0.00000009'])('are %j is read exactly', (prompt) => {
      expect(priced({ prompt })).toMatchObject({ prices: { input: 90_000n }, why: undefined });
    });

    // Python and JavaScript print floats with so many digits.
    it.each([
      ['0.0000012999999999999998', 1_300_000n],
      ['1.2999999999999998e-06', 1_300_000n],
      ['0.0000013000000000000002', 1_300_001n],
      ['0.0000010000000000000000000000000001', 1_000_001n],
    ])('are %s is read, and rounded up', (prompt, input) => {
      expect(priced({ prompt })).toMatchObject({ prices: { input }, why: undefined });
    });

    it('have another unit that costs nothing is sold', () => {
      expect(priced({ image: '0', hourly: 0, of_tomorrow: null }).why).toBeUndefined();
    });
  });

  it.each(['openai', 'anthropic', 'gemini', 'vertex', 'mistral', 'xai', 'bedrock', 'router'])(
    '%s is no list if it contains an error',
    (name) => {
      const list = listOf(name);
      for (const page of [{ error: { message: 'overloaded' } }, null, 'text', { data: {} }])
        for (const path of list.paths) expect(list.read(page, path)).toBeUndefined();
    },
  );
});

describe('a vendor that is away', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is no line of the log for each try, because the caller logs the outage', async () => {
    const lines = (['warn', 'error'] as const).map((level) =>
      jest.spyOn(Logger.prototype, level).mockImplementation(),
    );
    const list = { ...listOf('router'), baseUrl: 'http://127.0.0.1:1/v1' };

    await expect(listedModels(list, AbortSignal.timeout(5_000))).rejects.toThrow('could not be reached');

    expect(lines.map((line) => line.mock.calls)).toEqual([[], []]);
  });
});

describe('a name', () => {
  it.each(['gpt-5', 'a', 'meta-llama/Llama-3.3-70B', 'm:free', 'us.anthropic.claude-v1:0'])(
    '%s may be sold',
    (id) => {
      expect(isSellableName(id)).toBe(true);
    },
  );
  it.each(['', '/a', 'a/', 'two words', 'a\u202eb', 'a\u200fb', 'a\tb', 'naïve', 'x'.repeat(101)])(
    '%j is never sold',
    (id) => {
      expect(isSellableName(id)).toBe(false);
    },
  );
});

describe('a last day', () => {
  it.each([
    ['2027-01-31', '2027-01-31'],
    ['2027-01-31T12:00:00Z', '2027-01-31'],
    [1_801_440_000, '2027-02-01'],
    [null, undefined],
    ['soon', undefined],
    [-5, undefined],
    [1e300, undefined],
  ])('%j is %j', (value, day) => {
    expect(dayIn(value)).toBe(day);
  });
});
