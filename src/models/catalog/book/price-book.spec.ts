import { calcPrice, findProvider } from '@pydantic/genai-prices';

import { version } from '../../../../node_modules/@pydantic/genai-prices/package.json';
import { tokensPrice } from '../chat-price-calculator';
import { mediaDays } from './media-book';
import { BOOK, type BookPrice, bookAgeDays, bookPrice, tokenPricesIn } from './price-book';

const NOW = new Date('2026-11-28T12:00:00Z');
const SELLERS = [
  'anthropic',
  'openai',
  'google',
  'mistral',
  'x-ai',
  'aws',
  'azure',
  'groq',
  'openrouter',
  'together',
];
const MARKUP = { times: 5n, over: 4n };

type Priced = Extract<BookPrice, { prices: unknown }>;
const priced = (providerId: string, model: string): Priced => {
  const found = bookPrice({ providerId }, model, NOW);
  if ('why' in found) throw new Error(`${model}: ${found.why}`);
  return found;
};

describe('the book of prices', () => {
  it('has the day of the installed release', () => {
    expect(BOOK.version).toBe(version);
    expect(bookAgeDays(Date.parse('2026-10-03T23:00:00Z'))).toBe(10);
  });

  it('is as old as its oldest price of media', () => {
    const now = Date.parse('2026-10-03T23:00:00Z');
    expect(bookAgeDays(now, ['2026-09-23', '2026-09-01', '2026-09-30'])).toBe(32);
    expect(mediaDays).toContain('2026-11-28');
    expect(bookAgeDays(now)).toBe(bookAgeDays(now, [BOOK.day, ...mediaDays]));
  });

  it('has the steps, the cache of an hour and the tokens of sound', () => {
    expect(priced('openai', 'gpt-5.5-2026-04-23').prices).toEqual({
      input: 5_000_000n,
      output: 30_000_000n,
      cacheRead: 500_000n,
      above: [
        { tokens: 271_999, prices: { input: 10_000_000n, output: 45_000_000n, cacheRead: 1_000_000n } },
      ],
    });
    expect(priced('anthropic', 'claude-opus-5').prices).toMatchObject({
      cacheWrite: 6_250_000n,
      cacheWrite1h: 10_000_000n,
    });
    expect(priced('google', 'gemini-2.5-flash').prices).toMatchObject({ inputAudio: 1_000_000n });
    expect(priced('google', 'gemini-2.5-flash').contextTokens).toBe(1_048_576);
  });

  it('takes the price of the day', () => {
    const before = bookPrice({ providerId: 'anthropic' }, 'claude-sonnet-4-6', new Date('2026-03-01'));
    expect(before).toMatchObject({ prices: { above: [{ tokens: 200_000 }] } });
    expect(priced('anthropic', 'claude-sonnet-4-6').prices.above).toBeUndefined();
  });

  it.each([
    ['http://10.0.0.1:8000/v1', 'its server lists no price, so only a CATALOG_FILE can sell it'],
    ['https://api.groq.com/openai/v1', 'the book does not have it'],
  ])('knows whether it has the server at %s', (providerApiUrl, why) => {
    expect(bookPrice({ providerApiUrl }, 'a-model-of-tomorrow')).toEqual({ why });
  });

  it.each([
    ['openai', 'a-model-of-tomorrow', 'the book does not have it'],
    ['anthropic', 'claude-sonnet-5-5', 'the book has only claude-sonnet-5, which may be another model'],
    ['openai', 'text-embedding-3-small', 'the book has no price of its text'],
    ['openai', 'omni-moderation-latest', 'the book has only moderation, which may be another model'],
    ['google', 'gemini-2.5-flash-image', 'the book has a price of another unit (output_image_mtok)'],
    ['google', 'gemma-4-31b-it', 'the book has no price of its text'],
    ['perplexity', 'sonar-pro', 'the book has a price of another unit (requests_kcount)'],
    ['deepseek', 'deepseek-chat', 'its price depends on the time of day'],
  ])('does not price %s %s: %s', (providerId, model, why) => {
    expect(bookPrice({ providerId }, model, NOW)).toEqual({ why });
  });

  it('has no name that takes long to look up', () => {
    bookPrice({ providerId: 'openai' }, 'gpt-5', NOW);
    const before = process.cpuUsage();
    for (const digits of ['0', '20', '2026'])
      expect(
        bookPrice({ providerId: 'openai' }, `gpt-5-${digits.repeat(90 / digits.length)}x`, NOW),
      ).toHaveProperty('why');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
  });

  it.each(['claude-haiku-4-5-20251001', 'claude-sonnet-5', 'claude-opus-4-0'])('prices %s', (model) => {
    expect(priced('anthropic', model).prices.input).toBeGreaterThan(0n);
  });

  it.each([0, -1, Number.NaN, Infinity])('refuses a price of %d, also in a step', (price) => {
    const why = 'a price in the book is 0';
    expect(tokenPricesIn({ input_mtok: price, output_mtok: 1 })).toEqual({ why });
    expect(tokenPricesIn({ input_mtok: { base: 1, tiers: [{ start: 9, price }] }, output_mtok: 1 })).toEqual({
      why,
    });
  });

  it('finds a server of OpenAI-compatible models by its address', () => {
    expect(
      bookPrice({ providerApiUrl: 'https://api.groq.com/openai/v1' }, 'openai/gpt-oss-120b'),
    ).toMatchObject({
      prices: { input: 150_000n },
    });
    expect(bookPrice({ providerApiUrl: 'http://127.0.0.1:8000/v1' }, 'gpt-5')).toHaveProperty('why');
  });

  it('charges what the book itself calculates, to the micro, at the edges of each step', () => {
    let seed = 47;
    const random = (most: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * (most + 1));
    };
    const models = SELLERS.flatMap((providerId) =>
      findProvider({ providerId })!.models.flatMap(({ id, prices: listed }) => {
        const found = bookPrice({ providerId }, id, NOW);
        // The book divides some prices of OpenRouter, whose rest is rounded up here.
        const isExact = !JSON.stringify(listed).includes('3333');
        return 'why' in found || !isExact ? [] : [{ providerId, id, ...found }];
      }),
    );
    expect(models.length).toBeGreaterThan(500);
    const wrong: unknown[] = [];
    for (let round = 0; round < 100_000; round += 1) {
      const { providerId, id, prices } = models[round % models.length]!;
      const edges = (prices.above ?? []).flatMap(({ tokens }) => [tokens - 1, tokens, tokens + 1]);
      const input = edges[random(edges.length + 2)] ?? random(random(3) === 0 ? 2_000_000 : 5_000);
      const read = prices.cacheRead === undefined ? 0 : random(input);
      const write = prices.cacheWrite === undefined ? 0 : random(input - read);
      const hour = prices.cacheWrite1h === undefined ? 0 : random(write);
      const output = random(10_000);
      const { total_price: total } = calcPrice(
        {
          input_tokens: input,
          output_tokens: output,
          cache_read_tokens: read,
          cache_write_tokens: write,
          ...(hour > 0 ? { cache_write_1h_tokens: hour } : {}),
        },
        id,
        { providerId, timestamp: NOW },
      )!;
      const charge = Number(
        tokensPrice(
          { ...prices, markup: MARKUP },
          {
            promptTokens: input,
            completionTokens: output,
            cacheReadTokens: read,
            cacheWriteTokens: write,
            cacheWrite1hTokens: hour,
          },
        ),
      );
      const exact = total * 1_250_000;
      const rest = exact * 1e-12 + 1e-6; // The book calculates with floats.
      if (charge < Math.ceil(exact - rest) || charge > Math.ceil(exact + rest))
        wrong.push([providerId, id, input, read, write, hour, output, charge, exact]);
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});
