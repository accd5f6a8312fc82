import type { Fields } from '#kernel/json';
import { type Micro, ceilDiv, larger, micro } from '#kernel/money';
import { ifPresent, withoutAbsent } from '#kernel/present';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';
import type { ProviderHttpOptions } from '../http/provider-http';
import { type ListedModel, countIn, dayIn, rowsIn, textsIn } from '../models/listed-model';
import { NOT_TEXT, SEARCH_FEE, isOtherWork, isSearching } from '../models/sellable-models';
import type { ModelList } from '../models/model-list';
import type { KindPrices, TokenPrices } from '../token-prices';

/** Reads one entry of a list in OpenAI's form. */
type ReadEntry = (id: string, entry: Fields) => Omit<ListedModel, 'id'>;

/** A list at `models` in OpenAI's form. Together answers with a bare list. */
export const modelsAt = (options: ProviderHttpOptions, read: ReadEntry): ModelList => ({
  ...options,
  paths: ['models'],
  read: (page) =>
    rowsIn(Array.isArray(page) ? page : fieldsOf(page)['data'])?.map((entry) =>
      ifPresent(textOf(entry['id']), (id) => ({
        id,
        retiresOn: dayIn(entry['shutdown_date'] ?? entry['deprecation'] ?? undefined),
        ...read(id, entry),
      })),
    ),
});

/** Models that only the Responses API has, and older ones that only the Completions API has. */
const NO_CHAT =
  /-pro(-\d{4}.*)?$|codex|deep-research|computer-use|instruct|^(davinci|babbage|curie|ada|text-)/;

/** OpenAI's list has names only. */
const LIMITS: readonly (readonly [RegExp, number])[] = [
  [/^gpt-[5-9]/, 128_000],
  [/^o\d/, 100_000],
  [/^gpt-4\.1/, 32_768],
  [/^gpt-4o/, 16_384],
];

export const openaiModel: ReadEntry = (id) => ({
  vision:
    /^(gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|o\d|chatgpt-)/.test(id) &&
    !/^o\d-(mini|preview)|^o3-mini/.test(id),
  reasoning: /^(o\d|gpt-[5-9])/.test(id) && !id.includes('chat'),
  tools:
    /^(gpt-4o|gpt-4\.1|gpt-[5-9]|o\d)/.test(id) && !/^o1-(mini|preview)|search|chat/.test(id)
      ? true
      : undefined,
  maxOutputTokens: LIMITS.find(([name]) => name.test(id))?.[1] ?? 4_096,
  why:
    isOtherWork(id) || !/^(gpt-|o\d|chatgpt-)/.test(id)
      ? NOT_TEXT
      : NO_CHAT.test(id)
        ? 'its maker does not serve it by chat completions'
        : isSearching(id)
          ? SEARCH_FEE
          : undefined,
});

export const xaiModel: ReadEntry = (id, entry) => ({
  vision: /vision|grok-[4-9]/.test(id),
  contextTokens: countIn(entry['context_length']),
  aliases: textsIn(entry['aliases']).filter((alias) => alias.startsWith('grok')),
  why: isOtherWork(id) || !id.startsWith('grok') ? NOT_TEXT : undefined,
});

const flagIn = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

export const mistralModel: ReadEntry = (id, entry) => {
  const can = fieldsOf(entry['capabilities']);
  return {
    contextTokens: countIn(entry['max_context_length']),
    vision: can['vision'] === true,
    reasoning: can['reasoning'] === true,
    tools: flagIn(can['function_calling']),
    replacedBy: textOf(entry['deprecation_replacement_model']),
    why: can['completion_chat'] === false || isOtherWork(id) ? NOT_TEXT : undefined,
  };
};

const ATTO = 18;

/** The texts of prices: `0.00000009`, `9e-8`, and floats such as `0.0000012999999999999998`. */
const PRICE = /^(\d{1,6})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i;
/** A price from a million USD on is none, as a number or as a text. */
const ATTO_MAX = 10n ** BigInt(ATTO + 6);

const priceTextOf = (price: unknown): string | undefined =>
  typeof price === 'number' ? price.toFixed(12) : textOf(price);

/** USD as a decimal text or a number, in units of 10^-18, rounded up. Undefined for a text that is no price. */
const attoUsd = (price: unknown): bigint | undefined => {
  const [, whole, part = '', exponent = '0'] = PRICE.exec(priceTextOf(price) ?? '') ?? [];
  if (whole === undefined) return undefined;
  const shift = ATTO - part.length + Number(exponent);
  const digits = BigInt(whole + part);
  const atto = shift < 0 ? ceilDiv(digits, 10n ** BigInt(-shift)) : digits * 10n ** BigInt(shift);
  return atto < ATTO_MAX ? atto : undefined;
};

/** The price of a million tokens from that of one token. A fraction of a micro-USD is rounded up. */
const ofOneToken = (price: unknown): Micro | undefined =>
  ifPresent(attoUsd(price), (atto) => micro(ceilDiv(atto, 1_000_000n)));

/** The same from a price of a million tokens. */
const ofMillion = (price: unknown): Micro | undefined =>
  ifPresent(attoUsd(price), (atto) => micro(ceilDiv(atto, 1_000_000_000_000n)));

/** The prices in OpenRouter's list (of a token) and in Together's (of a million tokens). */
const kindPricesOf = (pricing: Fields): KindPrices | undefined => {
  const [input, written, thought] = [
    ofOneToken(pricing['prompt']) ?? ofMillion(pricing['input']),
    ofOneToken(pricing['completion']) ?? ofMillion(pricing['output']),
    ofOneToken(pricing['internal_reasoning']),
  ];
  if (input === undefined || written === undefined) return undefined;
  return withoutAbsent({
    input,
    output: larger(written, thought ?? written),
    cacheRead: ofOneToken(pricing['input_cache_read']) ?? ofMillion(pricing['cached_input']),
    cacheWrite: ofOneToken(pricing['input_cache_write']),
    cacheWrite1h: ofOneToken(pricing['input_cache_write_1h']),
    inputAudio: ofOneToken(pricing['audio']),
  });
};

const isAbsent = (price: unknown): boolean => price === undefined || price === null || price === '';

/** The overrides with the fields that they state. */
const overridesIn = (pricing: Fields): readonly Fields[] =>
  itemsOf(pricing['overrides']).map((each) =>
    Object.fromEntries(Object.entries(fieldsOf(each)).filter(([, value]) => !isAbsent(value))),
  );

/** The first number of input tokens at which an override holds. */
const startOf = (override: Fields): number | undefined => countIn(override['min_prompt_tokens']);

/** At each step, all overrides that hold replace the base, and a later one wins. A price that none names stays. */
export const pricesOfEntry = (value: unknown): TokenPrices | undefined => {
  const pricing = fieldsOf(value);
  const base = kindPricesOf(pricing);
  const overrides = overridesIn(pricing);
  if (base === undefined || overrides.length === 0) return base;
  const starts = [...new Set(overrides.flatMap((each) => startOf(each) ?? []))].sort((a, b) => a - b);
  const above = starts.flatMap((start) => {
    const reached = overrides.filter((each) => (startOf(each) ?? Infinity) <= start);
    return ifPresent(kindPricesOf(Object.assign({}, pricing, ...reached) as Fields), (prices) => ({
      tokens: start - 1,
      prices,
    }));
  });
  return { ...base, above: above.filter((step) => step !== undefined) };
};

/** The prices that `kindPricesOf` reads. */
const READ: ReadonlySet<string> = new Set([
  'prompt',
  'completion',
  'internal_reasoning',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
  'audio',
  'input',
  'output',
  'cached_input',
]);

/**
 * Prices that no charge needs. No caller reaches the vendor's tools and tuning. Sound in the cache is charged as other
 * sound. A discount is on the other prices.
 */
const UNUSED: ReadonlySet<string> = new Set(['web_search', 'finetune', 'input_audio_cache', 'discount']);

/** A key that terminals, logs and pages may show. */
const PLAIN_KEY = /^[\w.-]{1,60}$/;

const SHOWN_MAX = 24;

const beginningOf = (text: string): string =>
  text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text;

/** The start of a text, or another value, with escapes for what terminals, logs and pages should not show. */
const shown = (value: unknown): string =>
  typeof value === 'object'
    ? 'an object'
    : JSON.stringify(typeof value === 'string' ? beginningOf(value) : value).replaceAll(
        /[^\x20-\x7e]/gu,
        (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`,
      );

/** Why the service can't charge what the vendor does: a price of another unit, or one that cannot be read. */
const problemIn = (pricing: Fields): string | undefined => {
  const fees = Object.entries(pricing).filter(([key, fee]) => !UNUSED.has(key) && !isAbsent(fee));
  const [other] = fees.find(([key, fee]) => !READ.has(key) && Number(fee) !== 0) ?? [];
  if (other !== undefined)
    return `it has a price of another unit${PLAIN_KEY.test(other) ? ` (${other})` : ''}`;
  const [odd] = fees.find(([key, fee]) => READ.has(key) && attoUsd(fee) === undefined) ?? [];
  if (odd === undefined) return undefined;
  const price = pricing[odd];
  const isNegative = (attoUsd(priceTextOf(price)?.replace(/^-/, '')) ?? 0n) > 0n;
  return `it has a ${isNegative ? 'negative price' : 'price that cannot be read'} (${odd}: ${shown(price)})`;
};

/** A step can only change prices that the base has, and it begins after the first token. */
const stepProblemIn = (base: Fields, override: Fields): string | undefined => {
  const { min_prompt_tokens: start, ...prices } = override;
  if ('utc_start' in prices || 'utc_end' in prices) return 'its price depends on the time of day';
  const isStep = (countIn(start) ?? 0) > 1 && Object.keys(prices).every((key) => !isAbsent(base[key]));
  return isStep ? problemIn(prices) : 'the steps of its price cannot be read';
};

const STEPS_MAX = 10;

const whyUnpriced = (value: unknown): string | undefined => {
  const { overrides, ...base } = fieldsOf(value);
  if (!isAbsent(overrides) && !Array.isArray(overrides)) return 'the steps of its price cannot be read';
  if (Array.isArray(overrides) && overrides.length > STEPS_MAX) return 'its price has too many steps';
  const problems = overridesIn({ overrides }).map((each) => stepProblemIn(base, each));
  return [problemIn(base), ...problems].find((why) => why !== undefined);
};

/** The book has no fee of a search. A list without one says that a search is free. */
const searchFeeOf = (id: string, pricing: unknown): string | undefined => {
  const { web_search: fee = 0 } = fieldsOf(pricing);
  return isSearching(id) && (isAbsent(pricing) || Number(fee) !== 0) ? SEARCH_FEE : undefined;
};

/** An entry of OpenRouter, Groq, Together, vLLM or another server. */
export const serverModel: ReadEntry = (id, entry) => {
  const shape = fieldsOf(entry['architecture']);
  const kind = textOf(entry['type']);
  const outputs = textsIn(shape['output_modalities']);
  const isText =
    !isOtherWork(id) &&
    (kind === undefined || ['chat', 'language', 'model'].includes(kind)) &&
    (outputs.length === 0 || (outputs.length === 1 && outputs[0] === 'text'));
  const top = fieldsOf(entry['top_provider']);
  return {
    name: textOf(entry['name']) ?? textOf(entry['display_name']),
    contextTokens: countIn(entry['context_length'], entry['context_window'], entry['max_model_len']),
    maxOutputTokens: countIn(top['max_completion_tokens'], entry['max_completion_tokens']),
    vision: textsIn(shape['input_modalities']).includes('image'),
    reasoning: textsIn(entry['supported_parameters']).includes('reasoning'),
    tools: textsIn(entry['supported_parameters']).includes('tools') || undefined,
    prices: pricesOfEntry(entry['pricing']),
    why: isText ? (searchFeeOf(id, entry['pricing']) ?? whyUnpriced(entry['pricing'])) : NOT_TEXT,
  };
};
