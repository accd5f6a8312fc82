import type { Refusal } from '../http/answer-status';
import { ProviderFault } from '../http/provider-fault';

/**
 * How vendors begin the sentence that refuses a prompt beyond the context of a model. Later words may quote a caller,
 * so they do not count.
 */
const SENTENCES =
  /^(input validation error: )?(prompt is too long|input length and .{0,20}exceed|(your )?input (is too long|exceeds the context)|the input token count|(this (model|endpoint)'s|requested token count exceeds the model's) maximum (context|prompt)|prompt contains \d+ tokens|request exceeds the maximum size)/i;

export const isTooLong = ({ codes, message }: Pick<Refusal, 'codes' | 'message'>): boolean =>
  codes.includes('context_length_exceeded') || SENTENCES.test(message);

/** Smaller numbers are names or versions of models. */
const TOKENS_MIN = 1_000;

/** The prompt's tokens and their maximum, if the vendor's sentence has these two numbers. */
export const tokensIn = (message: string): ProviderFault['tokens'] => {
  const numbers = (message.match(/\d{4,9}/g) ?? []).map(Number).filter((number) => number >= TOKENS_MIN);
  const [max, sent] = numbers.sort((one, other) => one - other);
  return numbers.length === 2 && max !== sent ? { sent: sent!, max: max! } : undefined;
};

export const tooLong = ({ message }: Pick<Refusal, 'message'>): ProviderFault =>
  new ProviderFault('too-long', 'the prompt is too long for the model', { tokens: tokensIn(message) });
