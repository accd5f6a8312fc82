import { type Micro, ceilDiv, micro } from '../../kernel/money';
import { ifPresent, withoutAbsent } from '../../kernel/present';
import { type Fields, fieldsOf, textOf } from '../http/answer-status';
import type { ProviderHttpOptions } from '../http/provider-http';
import {
  type ListedModel,
  NOT_TEXT,
  countIn,
  dayIn,
  isOtherWork,
  rowsIn,
  textsIn,
} from '../models/listed-model';
import type { ModelList } from '../models/model-list';
import type { TokenPrices } from '../token-prices';

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
  maxOutputTokens: LIMITS.find(([name]) => name.test(id))?.[1] ?? 4_096,
  why:
    isOtherWork(id) || !/^(gpt-|o\d|chatgpt-)/.test(id)
      ? NOT_TEXT
      : NO_CHAT.test(id)
        ? 'its maker does not serve it by chat completions'
        : undefined,
});

export const xaiModel: ReadEntry = (id, entry) => ({
  vision: /vision|grok-[4-9]/.test(id),
  contextTokens: countIn(entry['context_length']),
  aliases: textsIn(entry['aliases']),
  why: isOtherWork(id) || !id.startsWith('grok') ? NOT_TEXT : undefined,
});

export const mistralModel: ReadEntry = (id, entry) => {
  const can = fieldsOf(entry['capabilities']);
  return {
    contextTokens: countIn(entry['max_context_length']),
    vision: can['vision'] === true,
    reasoning: can['reasoning'] === true,
    replacedBy: textOf(entry['deprecation_replacement_model']),
    why: can['completion_chat'] === false || isOtherWork(id) ? NOT_TEXT : undefined,
  };
};

const ATTO = 18;

/** USD as a decimal text or a number, in units of 10^-18. Undefined for a text that is no price. */
const attoUsd = (price: unknown): bigint | undefined => {
  const text = typeof price === 'number' ? price.toFixed(12) : textOf(price);
  const [, whole, part = ''] = /^(\d{1,6})(?:\.(\d{1,18}))?$/.exec(text ?? '') ?? [];
  return whole === undefined ? undefined : BigInt(`${whole}${part.padEnd(ATTO, '0')}`);
};

/** The price of a million tokens from that of one token. A fraction of a micro-USD is rounded up. */
const ofOneToken = (price: unknown): Micro | undefined =>
  ifPresent(attoUsd(price), (atto) => micro(ceilDiv(atto, 1_000_000n)));

/** The same from a price of a million tokens. */
const ofMillion = (price: unknown): Micro | undefined =>
  ifPresent(attoUsd(price), (atto) => micro(ceilDiv(atto, 1_000_000_000_000n)));

/** The prices in OpenRouter's list (of a token) and in Together's (of a million tokens). */
export const pricesOfEntry = (value: unknown): TokenPrices | undefined => {
  const pricing = fieldsOf(value);
  const [input, output] = [
    ofOneToken(pricing['prompt']) ?? ofMillion(pricing['input']),
    ofOneToken(pricing['completion']) ?? ofMillion(pricing['output']),
  ];
  if (input === undefined || output === undefined) return undefined;
  return withoutAbsent({
    input,
    output,
    cacheRead: ofOneToken(pricing['input_cache_read']),
    cacheWrite: ofOneToken(pricing['input_cache_write']),
  });
};

/** Kinds of charges beside tokens. A model that has one is not sold, because no count shows it. */
const feeIn = (value: unknown): string | undefined =>
  Object.entries(fieldsOf(value)).find(([name, fee]) => name === 'request' && Number(fee) > 0)?.[0];

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
    prices: pricesOfEntry(entry['pricing']),
    why: isText
      ? ifPresent(feeIn(entry['pricing']), (fee) => `it has a price of another unit (${fee})`)
      : NOT_TEXT,
  };
};
