import { isTooLong, tokensIn } from './too-long';

describe('a prompt that is too long', () => {
  it.each<[string, ReturnType<typeof tokensIn>]>([
    ['prompt is too long: 210000 tokens > 200000 maximum', { sent: 210_000, max: 200_000 }],
    ['input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000', undefined],
    ['Your input exceeds the context window of this model. Please adjust your input.', undefined],
    [
      "This model's maximum prompt length is 131072 but the request contains 151392 tokens.",
      { sent: 151_392, max: 131_072 },
    ],
    [
      "This endpoint's maximum context length is 128000 tokens. However, you requested about 130001.",
      { sent: 130_001, max: 128_000 },
    ],
    [
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      { sent: 1_200_000, max: 1_048_576 },
    ],
    [
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      { sent: 40_000, max: 32_768 },
    ],
    ['Input is too long for requested model.', undefined],
  ])('is known by its first words: %s', (message, tokens) => {
    expect([isTooLong({ codes: [], message }), tokensIn(message)]).toEqual([true, tokens]);
  });

  it('is not what a vendor quotes', () => {
    expect(isTooLong({ codes: [], message: 'Unknown tool "prompt is too long"' })).toBe(false);
  });
});
