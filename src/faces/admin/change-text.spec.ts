import { changesText, ratesText } from './change-text';

describe('the words of a change in the audit', () => {
  it.each([
    [
      { markup: '2/1', rates: null, belowCost: null, private: true },
      'price: the cost and 100 %. private: yes',
    ],
    [{ markup: '11225/10000' }, 'price: the cost and 12.25 %'],
    [{ markup: '4/3' }, 'price: 4/3 of the cost'],
    [{ markup: '4/5', belowCost: true }, 'price: the cost and -20 %. also below the cost'],
    [
      { markup: null, rates: null, adultsOnly: null, routes: null },
      'price: as usual. adults only: as usual. first routes: as usual',
    ],
    [
      { markup: null, rates: { input: '7', output: '30' }, belowCost: true, adultsOnly: false },
      'price: input $7; output $30. also below the cost. adults only: no',
    ],
    [
      {
        routes: [
          { provider: 'bedrock', model: 'a' },
          { provider: 'router', model: 'b/c' },
          { provider: 'groq', model: 'd', leftOut: true },
        ],
      },
      'first routes: bedrock a, router b/c. left out: groq d',
    ],
  ])('%j', (changes, text) => {
    expect(changesText(changes)).toBe(text);
  });

  it('name each kind and step of a price', () => {
    const output = { base: '30', above: [{ tokens: 1_000, usd: '40' }] };
    expect(ratesText({ input: '7', output, cacheRead: '1' })).toBe(
      'input $7; output $30, $40 above 1000 tokens; cacheRead $1',
    );
  });
});
