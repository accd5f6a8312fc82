import { modelsOfLists } from '#models/catalog/listed/listed-models';
import { readCompletion } from '#models/conversation/completions-body';
import { worstCase } from './worst-case';

describe('the worst case of a document', () => {
  const at = (vendor: string, contextTokens?: number) => ({
    vendor,
    readAt: new Date(),
    models: [{ id: 'llama-4', rates: { input: '0.2', output: '0.5' }, contextTokens }],
  });

  it.each([
    [[at('a', 200_000)], 200_000],
    [[at('a', 200_000), at('b', 900_000)], 900_000],
    [[at('a', 200_000), at('b')], 1_000_000],
  ])('is the largest context of the routes', (lists, inputMax) => {
    const [model] = modelsOfLists(lists, { only: [], without: [] }, { times: 5n, over: 4n });
    const read = readCompletion({ messages: [{ role: 'user', content: 'Read this.' }] });

    expect(worstCase(model!, { ...read, documents: 1 }, 16).inputMax).toBe(inputMax);
  });

  it('is a million tokens if a model of the catalog has several routes', () => {
    const model = modelsOfLists([at('a', 200_000)], { only: [], without: [] }, { times: 5n, over: 4n })[0]!;
    const read = readCompletion({ messages: [{ role: 'user', content: 'Read this.' }] });
    const inputMaxOf = (routes: typeof model.routes): number =>
      worstCase({ ...model, inputTokensMax: undefined, routes }, { ...read, documents: 1 }, 16).inputMax;

    expect(inputMaxOf(model.routes)).toBe(200_000);
    expect(inputMaxOf([...model.routes, ...model.routes])).toBe(1_000_000);
  });
});
