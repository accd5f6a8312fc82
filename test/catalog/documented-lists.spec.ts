import { sellerOf } from '#models/catalog/book/seller';
import { modelsOfLists } from '#models/catalog/listed/listed-models';
import { offeredModels } from '#models/catalog/listed/list-comparison';
import { vendorOf } from '#models/providers/vendors';
import { readSettings } from '../../src/settings';
import bedrock from './lists/bedrock.json';
import mistral from './lists/mistral.json';
import openrouter from './lists/openrouter.json';
import vertex from './lists/vertex.json';
import vllm from './lists/vllm.json';
import xai from './lists/xai.json';

const NOW = new Date('2026-11-28T12:00:00Z');
const { providers } = readSettings({
  OPENAI_COMPATIBLE_SERVERS: 'openrouter,vllm',
  OPENROUTER_BASE_URL: 'https://openrouter.ai/api/v1',
  VLLM_BASE_URL: 'http://127.0.0.1:8000/v1',
  VERTEX_PROJECT: 'a-project',
  ALLOW_SANDBOX_MIX: 'true',
});

const offeredBy = (vendor: string, pages: readonly unknown[]) => {
  const own = providers.find(({ name }) => name === vendor)!;
  const list = vendorOf(own).models!(own);
  const listed = pages.flatMap((page, at) => list.read(page, list.paths[at] ?? list.paths[0]!) ?? []);
  return offeredModels(
    sellerOf(own),
    listed.filter((model) => model !== undefined),
    [],
    NOW,
  );
};

/** The files in `lists` are written after the documentation of each API; none is a recording. */
describe('a list as its documentation shows it', () => {
  it.each([
    // The book still has an older price of `mistral-large-latest`, so it is a model of its own.
    ['mistral', mistral, ['codestral', 'ministral-8b', 'mistral-large', 'mistral-large-2512']],
    ['xai', xai, ['grok-3', 'grok-3-mini', 'grok-4', 'grok-code-fast-1']],
    [
      'bedrock',
      bedrock,
      ['claude-3-haiku', 'claude-haiku-4-5', 'claude-sonnet-4-5', 'nova-lite', 'nova-pro'],
    ],
    ['vertex', vertex, ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-3-flash-preview']],
    ['openrouter', openrouter, ['anthropic/claude-sonnet-4.5']],
    ['vllm', vllm, []],
  ])('of %s sells the models that have a price', (vendor, { pages }, names) => {
    const models = offeredBy(vendor, pages);
    const sold = modelsOfLists(
      [{ vendor, models, readAt: NOW }],
      { only: [], without: [] },
      { times: 5n, over: 4n },
    );
    expect(sold.map(({ id }) => id)).toEqual(names);
    // Each other model says why not.
    for (const { rates, why } of models) expect((rates === undefined) === (why !== undefined)).toBe(true);
  });

  it('says why the rest is not for sale', () => {
    const reasons = (vendor: string, pages: readonly unknown[]) =>
      Object.fromEntries(
        offeredBy(vendor, pages).flatMap(({ id, why }) => (why === undefined ? [] : [[id, why]])),
      );
    expect(reasons('openrouter', openrouter.pages)).toEqual({
      'openrouter/auto': 'it has a negative price (prompt: "-1")',
      'meta-llama/llama-3.3-70b-instruct:free': 'its price in the list of the vendor is 0',
    });
    expect(reasons('vllm', vllm.pages)).toEqual({
      'Qwen/Qwen3-32B': 'its server lists no price, so only a CATALOG_FILE can sell it',
    });
    expect(reasons('bedrock', bedrock.pages)).toMatchObject({
      'anthropic.claude-sonnet-4-5-20250929-v1:0': expect.stringMatching(/inference profiles/),
      'stability.stable-image-core-v1:1': 'it is no model for conversations',
    });
  });

  it('has last days and replacements', () => {
    expect(offeredBy('mistral', mistral.pages).find(({ id }) => id === 'ministral-8b-2410')).toMatchObject({
      retiresOn: '2026-12-31',
      replacedBy: 'ministral-8b-2512',
    });
    expect(
      offeredBy('bedrock', bedrock.pages).find(({ id }) => id === 'anthropic.claude-3-haiku-20240307-v1:0'),
    ).toMatchObject({ makersId: 'claude-3-haiku-20240307', retiresOn: '2027-03-10' });
  });
});
