import type { Schemas } from '../parts/api.ts';
import { money } from '../parts/format.ts';

export type Model = Schemas['AdminModel'];
type Prices = Model['cost'];

const usd = (rate: unknown): string => {
  const step = typeof rate === 'object' && rate !== null ? (rate as { base: string }).base : undefined;
  const text = step ?? String(rate);
  return `${money(Math.round(Number(text) * 1e6))}${step === undefined ? '' : '+'}`;
};

/** The prices of input and output, or the first price. */
export const pricesText = (prices: Prices): string => {
  if (prices === undefined) return '–';
  const { inputUsdPerMtok: input, outputUsdPerMtok: output } = prices as Readonly<Record<string, unknown>>;
  return output === undefined ? usd(Object.values(prices)[0]) : `${usd(input)} in, ${usd(output)} out`;
};
