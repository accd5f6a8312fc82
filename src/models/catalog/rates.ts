import { isDeepStrictEqual } from 'node:util';

import { type Micro, ceilDiv, larger, micro, parseUsd, usdText } from '#kernel/money';
import { withoutAbsent } from '#kernel/present';
import {
  type KindPrices,
  TOKEN_KINDS,
  type TokenKind,
  type TokenPrices,
  pricesAt,
} from '#models/providers/token-prices';
import type { Ratio } from './prices.settings';

/** The rates of a text model: the catalog's, or the vendor's prices with a markup. */
export interface TextRates extends TokenPrices {
  /**
   * Set for a model of the book, whose rates are the vendor's own prices. A charge is the cost times this factor,
   * rounded up once.
   */
  readonly markup?: Ratio;
}

/** A rate in a file: decimal USD of a million tokens. With steps, `usd` holds if the input has more than `tokens`. */
export type RateText =
  | string
  | {
      readonly base: string;
      readonly above: readonly { readonly tokens: number; readonly usd: string }[];
    };
export type RateTexts = Partial<Readonly<Record<TokenKind, RateText>>>;

/** A decimal USD in a file. */
export const DECIMAL = { type: 'string', minLength: 1, maxLength: 20 };

export const RATE_SCHEMA = {
  anyOf: [
    DECIMAL,
    {
      type: 'object',
      required: ['base', 'above'],
      additionalProperties: false,
      properties: {
        base: DECIMAL,
        above: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: {
            type: 'object',
            required: ['tokens', 'usd'],
            additionalProperties: false,
            properties: { tokens: { type: 'integer', minimum: 1, maximum: 100_000_000 }, usd: DECIMAL },
          },
        },
      },
    },
  ],
};

const priceIn = (kind: TokenKind, usd: string): Micro => {
  const price = parseUsd(usd);
  if (price === undefined) throw new RangeError(`The price of ${kind} is no decimal USD: ${usd}.`);
  return price;
};

const stepsOf = (rate: RateText) =>
  typeof rate === 'string' ? [{ tokens: 0, usd: rate }] : [{ tokens: 0, usd: rate.base }, ...rate.above];

/** Lists the problems of a rate. A price of a route may be 0. */
export const rateProblems = (where: string, rate: RateText, mayBeFree = false): readonly string[] => {
  const steps = stepsOf(rate);
  const rule = mayBeFree ? 'decimal USD' : 'decimal USD above 0';
  return [
    ...steps.flatMap(({ usd }) => {
      const price = parseUsd(usd);
      const isGood = price !== undefined && (mayBeFree || price > 0n);
      return isGood ? [] : [`${where} is ${usd}; it must be ${rule}`];
    }),
    ...(steps.some(({ tokens }, at) => at > 0 && tokens <= (steps[at - 1]?.tokens ?? 0))
      ? [`${where}.above must rise from step to step`]
      : []),
  ];
};

/** The prices that the texts state. Each step has all prices that hold above it. */
export const pricesIn = (texts: RateTexts): TokenPrices => {
  const kinds = TOKEN_KINDS.filter((kind) => texts[kind] !== undefined);
  const at = (tokens: number): KindPrices => {
    const prices: Partial<Record<TokenKind, Micro>> = {};
    for (const kind of kinds) {
      const rate = texts[kind] ?? '';
      const usd =
        typeof rate === 'string' ? rate : stepsOf(rate).findLast((step) => step.tokens <= tokens)?.usd;
      prices[kind] = priceIn(kind, usd ?? '');
    }
    return prices as KindPrices;
  };
  const starts = kinds.flatMap((kind) => {
    const rate = texts[kind] ?? '';
    return typeof rate === 'string' ? [] : rate.above.map(({ tokens }) => tokens);
  });
  const above = [...new Set(starts)].sort((a, b) => a - b);
  return {
    ...at(0),
    ...(above.length === 0 ? {} : { above: above.map((tokens) => ({ tokens, prices: at(tokens) })) }),
  };
};

/** Without the last zeros, but with at least two decimals. */
export const shortUsd = (usd: string): string => usd.replace(/(\.\d\d\d*?)0+$/, '$1');

/** A rate in words, such as `$3.00, $6.00 above 200000 tokens`. */
export const rateWords = (rate: RateText): string =>
  stepsOf(rate)
    .map(({ tokens, usd }) => `$${shortUsd(usd)}${tokens === 0 ? '' : ` above ${tokens} tokens`}`)
    .join(', ');

/** The texts of prices, which `pricesIn` reads. */
export const rateTextsOf = ({ above = [], ...prices }: TokenPrices): RateTexts =>
  Object.fromEntries(
    TOKEN_KINDS.flatMap((kind) => {
      const base = prices[kind];
      const steps = above.map((step) => ({
        tokens: step.tokens,
        usd: usdText(step.prices[kind] ?? base ?? micro(0n)),
      }));
      if (base === undefined) return [];
      return [[kind, steps.length === 0 ? usdText(base) : { base: usdText(base), above: steps }]];
    }),
  );

/** The same without steps at which the price of a kind stays, for people. */
export const shownRateTexts = (prices: TokenPrices): RateTexts =>
  Object.fromEntries(
    Object.entries(rateTextsOf(prices)).map(([kind, rate]) => {
      if (typeof rate === 'string') return [kind, rate];
      const above = rate.above.filter(({ usd }, at) => usd !== (rate.above[at - 1]?.usd ?? rate.base));
      return [kind, above.length === 0 ? rate.base : { base: rate.base, above }];
    }),
  );

/** The price of a kind, with the kinds that it defaults to. */
export const priceOfKind = (prices: KindPrices, kind: TokenKind): Micro => {
  const own = prices[kind];
  if (own !== undefined) return own;
  if (kind === 'outputAudio') return prices.output;
  return kind === 'cacheWrite1h' ? (prices.cacheWrite ?? prices.input) : prices.input;
};

/** The prices for each length at which those of a source change. Steps at which no price changes are left out. */
export const withSteps = (
  sources: readonly TokenPrices[],
  at: (promptTokens: number) => KindPrices,
): TokenPrices => {
  const starts = [...new Set(sources.flatMap(({ above = [] }) => above.map(({ tokens }) => tokens)))];
  const steps = starts.sort((a, b) => a - b).map((tokens) => ({ tokens, prices: at(tokens + 1) }));
  const base = at(0);
  const above = steps.filter(
    ({ prices }, index) => !isDeepStrictEqual(prices, steps[index - 1]?.prices ?? base),
  );
  return { ...base, ...(above.length === 0 ? {} : { above }) };
};

/**
 * The highest price of each kind and step among several sellers of one model. A seller without a price for tokens from
 * its cache bills them as other input, and so does the meter. So it does not take that price from the others.
 */
export const dearestAmong = (sellers: readonly TokenPrices[]): TokenPrices => {
  const [only, ...others] = sellers;
  if (only !== undefined && others.length === 0) return only;
  const kinds = TOKEN_KINDS.filter((kind) => sellers.some((prices) => prices[kind] !== undefined));
  const at = (promptTokens: number): KindPrices =>
    Object.fromEntries(
      kinds.map((kind) => {
        const its = kind === 'cacheRead' ? sellers.filter((seller) => seller[kind] !== undefined) : sellers;
        return [kind, its.map((prices) => priceOfKind(pricesAt(prices, promptTokens), kind)).reduce(larger)];
      }),
    ) as unknown as KindPrices;
  return withSteps(sellers, at);
};

/** A kind of token that would sell below its cost, for inputs of more than `tokens`. */
export interface Uncovered {
  readonly kind: TokenKind;
  readonly tokens: number;
  readonly cost: Micro;
  readonly price: Micro;
}

/** Both prices at each length of the input at which one of them changes. */
const atEachStep = (a: TokenPrices, b: TokenPrices) => {
  const steps = [a, b].flatMap(({ above = [] }) => above.map(({ tokens }) => tokens));
  return [0, ...new Set(steps)].map((tokens) => {
    const length = tokens === 0 ? 0 : tokens + 1;
    return { tokens, pair: [pricesAt(a, length), pricesAt(b, length)] as const };
  });
};

/** Whether none of these kinds of token costs more than in `most`, at any length of the input. */
export const isWithin = (prices: TokenPrices, most: TokenPrices, kinds: readonly TokenKind[]): boolean =>
  atEachStep(prices, most).every(({ pair: [its, mostAt] }) =>
    kinds.every((kind) => priceOfKind(its, kind) <= priceOfKind(mostAt, kind)),
  );

/** The kinds of token that `prices` names and that cost more in `costs`, at each length of the input. */
export const uncoveredIn = (costs: TokenPrices, prices: TokenPrices): readonly Uncovered[] =>
  atEachStep(costs, prices).flatMap(({ tokens, pair: [costAt, priceAt] }) =>
    TOKEN_KINDS.flatMap((kind) => {
      const [cost, price] = [priceOfKind(costAt, kind), priceAt[kind]];
      return price === undefined || price >= cost ? [] : [{ kind, tokens, cost, price }];
    }),
  );

/** The largest share of its price that a token of any kind costs at a seller. 0 if no seller is known. */
export const largestShare = (sellers: readonly TokenPrices[], prices: TokenPrices): Ratio =>
  sellers
    .flatMap((costs) => atEachStep(costs, prices))
    .flatMap(({ pair: [cost, price] }) =>
      TOKEN_KINDS.map((kind): Ratio => ({ times: priceOfKind(cost, kind), over: priceOfKind(price, kind) })),
    )
    .reduce((most, each) => (each.times * most.over > most.times * each.over ? each : most), NONE);

/** The vendor may write the whole prompt into its cache, or read it from there. No caller can send sound. */
const INPUTS: readonly TokenKind[] = ['input', 'cacheRead', 'cacheWrite', 'inputImage'];
const INPUTS_FOR_AN_HOUR: readonly TokenKind[] = [...INPUTS, 'cacheWrite1h'];

/**
 * The dearest price of an input token and of an output token, for an input of at most so many tokens. Only a caller who
 * asks for it has a prompt in the cache for an hour.
 */
export const dearestOf = (
  { markup, ...prices }: TextRates,
  promptMax: number,
  mayBeForAnHour = false,
): TextRates => {
  const reached: readonly KindPrices[] = [
    prices,
    ...(prices.above ?? []).filter(({ tokens }) => tokens < promptMax).map((step) => step.prices),
  ];
  const kinds = mayBeForAnHour ? INPUTS_FOR_AN_HOUR : INPUTS;
  const inputs = reached.flatMap((each) => kinds.map((kind) => each[kind] ?? each.input));
  return withoutAbsent({
    input: inputs.reduce(larger),
    output: reached.map(({ output }) => output).reduce(larger),
    markup,
  });
};

const ONE: Ratio = { times: 1n, over: 1n };
const NONE: Ratio = { times: 0n, over: 1n };

/** Enough for every rate that callers see. */
const DECIMALS = 9;

/** A rate with its markup, as decimal USD: at least two decimals, and rounded up after the ninth. */
const rateText = (price: Micro, { times, over }: Ratio = ONE): string => {
  const digits = ceilDiv(price * times * 1_000n, over)
    .toString()
    .padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0{1,7}$/, '');
  return `${digits.slice(0, -DECIMALS)}.${decimals}`;
};

type RateName = `${TokenKind}UsdPerMtok`;
/** Rates under the names that files and answers have. */
export type NamedRates = Partial<Readonly<Record<RateName, RateText>>>;

export const namedRates = (texts: RateTexts): NamedRates =>
  Object.fromEntries(
    TOKEN_KINDS.flatMap((kind) => (texts[kind] === undefined ? [] : [[`${kind}UsdPerMtok`, texts[kind]]])),
  );

export const ratesNamed = (named: NamedRates): RateTexts =>
  Object.fromEntries(
    TOKEN_KINDS.flatMap((kind) => {
      const rate = named[`${kind}UsdPerMtok`];
      return rate === undefined ? [] : [[kind, rate]];
    }),
  );

type ShownPrices = Partial<Readonly<Record<RateName, string>>>;

const shownPrices = (prices: KindPrices, markup: Ratio | undefined): ShownPrices =>
  Object.fromEntries(
    TOKEN_KINDS.flatMap((kind) => {
      const price = prices[kind];
      return price === undefined ? [] : [[`${kind}UsdPerMtok`, rateText(price, markup)]];
    }),
  );

/** The rates as callers see them. Lists of thousands of models show the same rates again and again. */
export const shownRates = (rates: TextRates): ShownRates => {
  const known = shownBefore.get(rates) ?? newlyShown(rates);
  shownBefore.set(rates, known);
  return known;
};

export type ShownRates = ReturnType<typeof newlyShown>;
const shownBefore = new WeakMap<TextRates, ShownRates>();

/** A step names the rates that differ from the base, and those that an earlier step named. So both ways to read steps have one result. */
const newlyShown = ({ markup, above = [], ...prices }: TextRates) => {
  const base = shownPrices(prices, markup);
  const named = new Set<string>();
  const steps = above.map((step) => {
    const shown = Object.entries(shownPrices(step.prices, markup));
    for (const [name, text] of shown) if (base[name as RateName] !== text) named.add(name);
    return {
      tokens: step.tokens,
      ...(Object.fromEntries(shown.filter(([name]) => named.has(name))) as ShownPrices),
    };
  });
  return {
    ...base,
    inputUsdPerMtok: rateText(prices.input, markup),
    outputUsdPerMtok: rateText(prices.output, markup),
    above: steps.length === 0 ? undefined : steps,
  };
};

/** A factor that takes a cost to its price. */
export const marked = (cost: Micro, { times, over }: Ratio = ONE): Micro =>
  micro(ceilDiv(cost * times, over));

const markedKinds = (prices: KindPrices, markup: Ratio | undefined): KindPrices =>
  Object.fromEntries(
    TOKEN_KINDS.flatMap((kind) => {
      const price = prices[kind];
      return price === undefined ? [] : [[kind, marked(price, markup)]];
    }),
  ) as unknown as KindPrices;

/** The prices that a model charges, each rounded up to a micro-USD of a million tokens. */
export const markedPrices = ({ markup, above = [], ...prices }: TextRates): TokenPrices => ({
  ...markedKinds(prices, markup),
  ...(above.length === 0
    ? {}
    : { above: above.map((step) => ({ ...step, prices: markedKinds(step.prices, markup) })) }),
});

/** The cost behind a price with this markup. */
export const unmarked = (price: Micro, { times, over }: Ratio): Micro => micro(ceilDiv(price * over, times));
