import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';

import { ProviderFailed, type TextAnswer, TextProvider, type TextRequest } from '../text-provider';
import { directivesIn } from './directives';

const WORDS =
  'light lamp road night signal harbour morning window paper river copper garden engine letter market quiet ' +
  'bridge winter summer answer machine pocket silver thread number story north water candle field';
const VOCABULARY = WORDS.split(' ');
const TOKENS_DEFAULT = 24;
const FAIL_AFTER_MS = 2_000;

/** About what a tokenizer would count, and the same for every call with the same text. */
export const sandboxTokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4));

/** As many words as tokens were asked for, a fixed function of the messages. */
const wordsFor = (seed: string, tokens: number): string => {
  const words = ['[sandbox]'];
  for (let at = 0, hash = seed; words.length < tokens; at += 1) {
    if (at % 16 === 0) hash = createHash('sha256').update(hash).digest('hex');
    words.push(
      VOCABULARY[parseInt(hash.slice((at % 16) * 2, (at % 16) * 2 + 2), 16) % VOCABULARY.length] ?? 'lamp',
    );
  }
  return words.join(' ');
};

/** Deterministic and offline, and it says so: every answer begins with `[sandbox]`. */
@Injectable()
export class SandboxTextProvider extends TextProvider {
  readonly name = 'sandbox';

  async complete({ messages, maxTokens }: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
    const last = messages.at(-1)?.content ?? '';
    const wishes = directivesIn(last);
    if (wishes.reject) {
      throw new ProviderFailed();
    }
    if (wishes.timeout || wishes.lost) {
      await pause(2 ** 31 - 1, undefined, { signal, ref: false });
    }
    if (wishes.delayMs !== undefined) {
      await pause(wishes.delayMs, undefined, { signal });
    }
    if (wishes.fail) {
      await pause(FAIL_AFTER_MS, undefined, { signal });
      throw new ProviderFailed();
    }
    const completionTokens = Math.min(wishes.tokens ?? TOKENS_DEFAULT, maxTokens);
    const seed = messages.map(({ role, content }) => `${role}:${content}`).join('\n');
    return {
      content: wordsFor(seed, completionTokens),
      promptTokens: messages.reduce((sum, { content }) => sum + sandboxTokens(content), 0),
      completionTokens,
    };
  }
}
