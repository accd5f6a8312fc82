import { createHash } from 'node:crypto';
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';

import { ProviderFailed } from '../providers.errors';
import {
  type ConversationPiece,
  type ConversationRequest,
  type TextAnswer,
  TextProvider,
  type TextRequest,
} from '../text-provider';
import { type Directives, directivesIn } from './directives';
import { sampleOf } from './schema-sample';

const WORDS =
  'light lamp road night signal harbour morning window paper river copper garden engine letter market quiet ' +
  'bridge winter summer answer machine pocket silver thread number story north water candle field';
const VOCABULARY = WORDS.split(' ');
const TOKENS_DEFAULT = 24;
const FAIL_AFTER_MS = 2_000;

/** An estimate close to a tokenizer's count. Equal texts give equal counts. */
const sandboxTokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4));

/** Returns one word for each requested token. The words depend only on the messages. */
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

/** Deterministic and offline. Every answer begins with `[sandbox]`. */
export class SandboxTextProvider extends TextProvider {
  readonly name = 'sandbox';

  async complete({ messages, maxTokens }: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
    const wishes = directivesIn(messages.at(-1)?.content ?? '');
    await obey(wishes, signal);
    const completionTokens = Math.min(wishes.tokens ?? TOKENS_DEFAULT, maxTokens);
    const seed = messages.map(({ role, content }) => `${role}:${content}`).join('\n');
    return {
      content: wordsFor(seed, completionTokens),
      promptTokens: messages.reduce((sum, { content }) => sum + sandboxTokens(content), 0),
      completionTokens,
    };
  }

  /** Sends one word per piece, as a model does. `[[fail]]` breaks the stream in the middle. */
  async *converse(
    { body, maxTokens }: ConversationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ConversationPiece[]> {
    const seed = JSON.stringify(body.messages);
    const wishes = directivesIn(JSON.stringify(body.messages.at(-1) ?? ''));
    await obey({ ...wishes, fail: false }, signal);
    const asked = wishes.tokens === undefined ? askedOf(body) : undefined;
    if (asked !== undefined) {
      const completionTokens = Math.min(sandboxTokens(asked.text), maxTokens);
      yield [{ delta: { role: 'assistant', ...asked.delta }, finishReason: asked.finishReason }];
      yield [{ usage: { promptTokens: sandboxTokens(seed), completionTokens } }];
      return;
    }
    const completionTokens = Math.min(wishes.tokens ?? TOKENS_DEFAULT, maxTokens);
    const words = wordsFor(seed, completionTokens).split(' ');
    for (const [at, word] of words.entries()) {
      signal.throwIfAborted();
      if (wishes.fail && at === Math.floor(words.length / 2)) throw new ProviderFailed();
      yield [{ delta: at === 0 ? { role: 'assistant', content: word } : { content: ` ${word}` } }];
      if (wishes.paceMs === undefined) await breathe();
      else await pause(wishes.paceMs, undefined, { signal });
    }
    const finishReason = completionTokens === maxTokens ? 'length' : 'stop';
    yield [{ delta: {}, finishReason }, { usage: { promptTokens: sandboxTokens(seed), completionTokens } }];
  }
}

interface Asked {
  readonly delta: Readonly<Record<string, unknown>>;
  readonly finishReason: 'stop' | 'tool_calls';
  /** The text whose tokens count. */
  readonly text: string;
}

interface AskedBody {
  readonly tools?: readonly {
    readonly function?: { readonly name?: string; readonly parameters?: object };
  }[];
  readonly tool_choice?: string | { readonly function?: { readonly name?: string } };
  readonly response_format?: { readonly type?: string; readonly json_schema?: { readonly schema?: unknown } };
}

/** An answer for programs: a tool call, unless the last message is a tool's result, or JSON. */
const askedOf = (body: ConversationRequest['body']): Asked | undefined => {
  const { tools = [], tool_choice: choice, response_format: format } = body as AskedBody;
  const { role } = (body.messages.at(-1) ?? {}) as { role?: string };
  const named = typeof choice === 'object' ? choice.function?.name : undefined;
  const tool = named === undefined ? tools[0] : tools.find((one) => one.function?.name === named);
  if (tool?.function?.name !== undefined && choice !== 'none' && role !== 'tool') {
    const { name, parameters = {} } = tool.function;
    const text = JSON.stringify(sampleOf({ type: 'object', ...parameters }));
    const id = `call_${createHash('sha256').update(JSON.stringify(body.messages)).digest('hex').slice(0, 16)}`;
    const call = { index: 0, id, type: 'function', function: { name, arguments: text } };
    return { delta: { tool_calls: [call] }, finishReason: 'tool_calls', text };
  }
  if (format?.type !== 'json_schema' && format?.type !== 'json_object') return undefined;
  const schema = format.json_schema?.schema ?? { properties: { answer: {} } };
  const text = JSON.stringify(sampleOf(schema));
  return { delta: { content: text }, finishReason: 'stop', text };
};

/** Executes the directives that act before the answer begins. */
const obey = async (wishes: Directives, signal: AbortSignal): Promise<void> => {
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
};
