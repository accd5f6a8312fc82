import type { Schemas } from '../parts/api.ts';
import { money } from '../parts/format.ts';

export type Model = Schemas['AdminModel'];
export type Route = Model['routes'][number];
type Prices = Model['cost'];
type Rate =
  | string
  | { readonly base: string; readonly above: readonly { readonly tokens: number; readonly usd: string }[] };
export type Rates = Readonly<Record<string, Rate | undefined>>;

const usd = (text: string): string => money(Math.round(Number(text) * 1e6));

/** The price for inputs of more than so many tokens. */
const at = (rate: Rate | undefined, tokens: number): string | undefined =>
  typeof rate === 'object' ? (rate.above.findLast((step) => step.tokens <= tokens)?.usd ?? rate.base) : rate;

/** The price of a kind with its steps. */
export const rateText = (rate: Rate): string =>
  [
    usd(at(rate, 0) ?? ''),
    ...(typeof rate === 'object'
      ? rate.above.map((step) => `above ${step.tokens.toLocaleString('en')} tokens ${usd(step.usd)}`)
      : []),
  ].join(', ');

/** The prices of input and output, or the price of a call without options. Each step has a line with its start and one with its prices. */
export const priceLines = (prices: Prices): readonly string[] => {
  if (prices === undefined) return ['–'];
  const { inputUsdPerMtok: input, outputUsdPerMtok: output } = prices as Rates;
  if (output === undefined) {
    const { default: usual = Object.values(prices as Rates)[0] } = prices as Rates;
    return [usd(at(usual, 0) ?? '')];
  }
  const starts = [input, output].flatMap((rate) =>
    typeof rate === 'object' ? rate.above.map(({ tokens }) => tokens) : [],
  );
  const textAt = (tokens: number): string =>
    `${usd(at(input, tokens) ?? '')}\u00A0in, ${usd(at(output, tokens) ?? '')}\u00A0out`;
  const steps = [...new Set(starts)].toSorted((a, b) => a - b);
  return [
    textAt(0),
    ...steps.flatMap((tokens) => [`above ${tokens.toLocaleString('en')} tokens`, textAt(tokens)]),
  ];
};

export const pricesText = (prices: Prices): string =>
  priceLines(prices).join(' ').replaceAll(' above', '; above');

/** Whether cache writes cost less than other input. A list may give only what the cache costs in addition. */
export const hasCheapWrites = ({ cost }: Model): boolean => {
  const { inputUsdPerMtok: input, cacheWriteUsdPerMtok: write } = (cost ?? {}) as Rates;
  return Number(at(write, 0)) < Number(at(input, 0));
};

/** Whether there is a change or an agreement to undo. */
export const isChanged = ({ changes, agreed }: Model): boolean =>
  Object.keys(changes).length > 0 || agreed.length > 0;

/** Whether the catalog has the model. Without a price it can't be sold, so there is nothing to change. */
export const isSellable = ({ price }: Model): boolean => price !== undefined;
