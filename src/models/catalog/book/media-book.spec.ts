import { parseUsd } from '#kernel/money';
import { MEDIA_PRICES as prices, mediaPriceOf } from './media-book';

const UNITS = ['hour', 'image', 'megapixel', 'million_characters', 'million_tokens', 'second'];

describe('the prices of media', () => {
  it('are those of some sixty models, each of them once', () => {
    const names = prices.map(({ vendor, model }) => `${vendor} ${model}`);

    expect(new Set(names).size).toBe(names.length);
    expect(prices.length).toBeGreaterThanOrEqual(60);
    expect([...new Set(prices.map(({ vendor }) => vendor))].sort()).toEqual([
      'bfl',
      'fal',
      'gemini',
      'openai',
      'replicate',
      'runway',
      'xai',
    ]);
  });

  it.each(prices.map((price) => [price.vendor, price.model, price] as const))(
    '%s %s has a unit, a source and a day',
    (_vendor, _model, { unit, usd, source, read, day }) => {
      expect(UNITS).toContain(unit);
      expect(source).toMatch(/^https:\/\//);
      expect(['maker', 'others']).toContain(read);
      expect(day).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(Object.keys(usd)).not.toHaveLength(0);
      for (const each of Object.values(usd)) expect(parseUsd(each!)).toBeGreaterThan(0n);
    },
  );

  it('is unknown for a size that the maker was not read for', () => {
    expect(mediaPriceOf('bfl', 'flux-2-pro', { tier: '1024x1024' })).toBe(30_000n);
    expect(mediaPriceOf('bfl', 'flux-2-pro', { tier: '2048x2048' })).toBeUndefined();
  });
});
