import type { MatchLogic, ModelPrice, PriceOptions } from '@pydantic/genai-prices';

import { ceilDiv, micro, usdText } from '#kernel/money';
import { withoutRegionAndMaker } from '#models/providers/bedrock/regional-names';
import type { TokenKind, TokenPrices } from '#models/providers/token-prices';
import { type RateText, pricesIn } from '../rates';
import { mediaDays } from './media-book';

/** The package's release, and the day when it was published. The package does not contain the day. */
export const BOOK = { version: '0.1.8', day: '2026-09-23' } as const;

/** The prices of a book this old are probably wrong for some models. */
export const BOOK_DAYS_MAX = 60;

const DAY_MS = 86_400_000;

/** The age of the older book: that of text, or the price of media that somebody looked up first. */
export const bookAgeDays = (now: number, days: readonly string[] = [BOOK.day, ...mediaDays]): number =>
  Math.floor((now - Math.min(...days.map(Date.parse))) / DAY_MS);

/** A seller of models: its id in the book, or the address of its API. */
export type Seller = Pick<PriceOptions, 'providerId' | 'providerApiUrl'>;

/** A model's prices and its context, or the reason why the book has no usable price. */
export type BookPrice =
  | { readonly prices: TokenPrices; readonly name?: string; readonly contextTokens?: number }
  | { readonly why: string };

/** Loaded at the first use, because evaluating the prices takes 40 ms and some megabytes, and not every service uses them. */
const genaiPrices = () => module.require('@pydantic/genai-prices') as typeof import('@pydantic/genai-prices');

const KIND_OF: Readonly<Record<string, TokenKind>> = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cacheRead',
  cache_write_mtok: 'cacheWrite',
  cache_write_1h_mtok: 'cacheWrite1h',
  input_image_mtok: 'inputImage',
  input_audio_mtok: 'inputAudio',
  output_audio_mtok: 'outputAudio',
};

/** Prices of tools at the vendor, which no caller reaches, and of cached media, which are charged as uncached. */
const UNUSED: ReadonlySet<string> = new Set([
  'web_searches_kcount',
  'storage_searches_kcount',
  'social_searches_kcount',
  'code_executions_kcount',
  'cache_audio_read_mtok',
  'cache_image_read_mtok',
]);

/** A day, a revision, `latest`. */
const ENDING_PART = String.raw`(?:latest|preview|exp|customtools|\d{8}|\d{6}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}(?:-\d{4})?|\d{2}-\d{4}|\d{4}|0\d{2}|v\d{1,4}(?::\d)?|\d?:\d)`;
/**
 * The endings of a maker's names that do not change the price. They are short, and a mark precedes each further part, so
 * that a long name of a vendor's list takes no time.
 */
const ENDING = new RegExp(`^(?=.{0,24}$)(?:[-@:.]?${ENDING_PART}(?:[-@:.]${ENDING_PART}|:\\d)*)?$`);

/**
 * Whether a name is what the book means. The book finds `claude-sonnet-5-5` by the beginning `claude-sonnet-5`, which is
 * another model with another price.
 */
const isMeant = (match: MatchLogic, name: string): boolean => {
  if ('or' in match) return match.or.some((each) => isMeant(each, name));
  if ('and' in match) return match.and.some((each) => isMeant(each, name));
  if ('equals' in match) return name === match.equals.toLowerCase();
  if ('regex' in match) return new RegExp(match.regex).test(name);
  if ('ends_with' in match) return name.endsWith(match.ends_with);
  const part = ('starts_with' in match ? match.starts_with : match.contains).toLowerCase();
  const at = name.indexOf(part);
  const isFound = 'starts_with' in match ? at === 0 : at >= 0;
  const isBegun = withoutRegionAndMaker(name.slice(0, at)) === '';
  return isFound && isBegun && ENDING.test(name.slice(at + part.length));
};

/** A day without dashes, as the book has it. */
const dashed = (name: string): string => name.replace(/-(20\d{2})([01]\d)([0-3]\d)$/, '-$1-$2-$3');

/** A float as decimal USD. Six digits are exact for makers' prices; the rest of a quotient is rounded up. */
const usdOf = (price: number): string =>
  usdText(micro(ceilDiv(BigInt(price.toFixed(12).replace('.', '')), 1_000_000n)));

const isPrice = (price: number): boolean => Number.isFinite(price) && price > 0 && price < 1e6;

/** Undefined if a price is 0 or no number. */
const rateOf = (price: ModelPrice[string]): RateText | undefined => {
  if (price === undefined) return undefined;
  if (typeof price === 'number') return isPrice(price) ? usdOf(price) : undefined;
  const { base, tiers } = price;
  if (!isPrice(base) || tiers.some((step) => !isPrice(step.price) || !(step.start > 0))) return undefined;
  return { base: usdOf(base), above: tiers.map((step) => ({ tokens: step.start, usd: usdOf(step.price) })) };
};

/** The prices of tokens in the book's form. */
export const tokenPricesIn = (
  listed: ModelPrice,
): { readonly prices: TokenPrices } | { readonly why: string } => {
  const keys = Object.keys(listed).filter((key) => !UNUSED.has(key));
  const other = keys.find((key) => KIND_OF[key] === undefined);
  if (other !== undefined) return { why: `the book has a price of another unit (${other})` };
  const rates = keys.map((key) => [KIND_OF[key], rateOf(listed[key])] as const);
  const texts = Object.fromEntries(rates) as Partial<Record<TokenKind, RateText | undefined>>;
  if (!('input' in texts) || !('output' in texts)) return { why: 'the book has no price of its text' };
  if (rates.some(([, rate]) => rate === undefined)) return { why: 'a price in the book is 0' };
  return { prices: pricesIn(texts as Partial<Record<TokenKind, RateText>>) };
};

/** The book's price of a text model at a seller. */
export const bookPrice = (seller: Seller, model: string, timestamp = new Date()): BookPrice => {
  const { calcPrice, findProvider } = genaiPrices();
  const found = calcPrice({}, model, { ...seller, timestamp });
  if (found === null)
    return findProvider(seller) === undefined
      ? { why: 'its server lists no price, so only a CATALOG_FILE can sell it' }
      : { why: 'the book does not have it' };
  const { match, prices: listed, name, context_window: contextTokens } = found.model;
  const requested = model.toLowerCase();
  if (!isMeant(match, requested) && !isMeant(match, dashed(requested)))
    return { why: `the book has only ${found.model.id}, which may be another model` };
  if (Array.isArray(listed) && listed.some(({ constraint }) => constraint?.type === 'time_of_date'))
    return { why: 'its price depends on the time of day' };
  const read = tokenPricesIn(found.model_price);
  return 'why' in read ? read : { ...read, name, contextTokens };
};
