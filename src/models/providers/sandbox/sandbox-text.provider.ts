import { createHash } from 'node:crypto';
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';

import type { Conversation, Part, Turn } from '#models/conversation/conversation';
import { ContextTooLong, ProviderFailed } from '../providers.errors';
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

const finishOf = (tokens: number, maxTokens: number): string => (tokens === maxTokens ? 'length' : 'stop');

/** Deterministic and offline. Every answer begins with `[sandbox]`. */
export class SandboxTextProvider extends TextProvider {
  readonly name = 'sandbox';

  async complete({ messages, maxTokens }: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
    const directives = directivesIn(messages.at(-1)?.content ?? '');
    await obey(directives, signal);
    const completionTokens = Math.min(directives.tokens ?? TOKENS_DEFAULT, maxTokens);
    const seed = messages.map(({ role, content }) => `${role}:${content}`).join('\n');
    return {
      content: wordsFor(seed, completionTokens),
      finishReason: finishOf(completionTokens, maxTokens),
      promptTokens: messages.reduce((sum, { content }) => sum + sandboxTokens(content), 0),
      completionTokens,
    };
  }

  /** Sends one word per piece, as a model does. `[[fail]]` breaks the stream in the middle. */
  async *converse(
    { conversation, maxTokens }: ConversationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ConversationPiece[]> {
    const texts = conversation.turns.map(textOfTurn);
    const seed = texts.join('\n');
    const directives = directivesIn(texts[lastTurnIn(conversation.turns)] ?? '');
    await obey({ ...directives, fail: false }, signal);
    const answer = directives.tokens === undefined ? answerForProgram(conversation, seed) : undefined;
    if (answer !== undefined) {
      const completionTokens = Math.min(sandboxTokens(answer.text), maxTokens);
      yield [{ delta: { role: 'assistant', ...answer.delta }, finishReason: answer.finishReason }];
      yield [{ usage: { promptTokens: sandboxTokens(seed), completionTokens } }];
      return;
    }
    const completionTokens = Math.min(directives.tokens ?? TOKENS_DEFAULT, maxTokens);
    const words = wordsFor(seed, completionTokens).split(' ');
    for (const [at, word] of words.entries()) {
      signal.throwIfAborted();
      if (directives.fail && at === Math.floor(words.length / 2)) throw new ProviderFailed();
      yield [{ delta: at === 0 ? { role: 'assistant', content: word } : { content: ` ${word}` } }];
      if (directives.paceMs === undefined) await breathe();
      else await pause(directives.paceMs, undefined, { signal });
    }
    const finishReason = finishOf(completionTokens, maxTokens);
    yield [{ delta: {}, finishReason }, { usage: { promptTokens: sandboxTokens(seed), completionTokens } }];
  }
}

interface ProgramAnswer {
  readonly delta: Readonly<Record<string, unknown>>;
  readonly finishReason: 'stop' | 'tool_calls';
  /** The text whose tokens count. */
  readonly text: string;
}

/** The last turn that no program added: Claude Code sends instructions of its own after the words of its user. */
const lastTurnIn = (turns: readonly Turn[]): number => turns.findLastIndex(({ role }) => role !== 'system');

const textOfTurn = ({ role, parts }: Turn): string => `${role}:${JSON.stringify(parts.map(wordsOf))}`;

const wordsOf = (part: Part): unknown => {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'call':
      return [part.name, part.input];
    case 'result':
      return part.parts.map(wordsOf);
    default:
      return part.kind;
  }
};

/** An answer for programs: a tool call, unless the last turn has a tool's result, or JSON. */
const answerForProgram = (
  { turns, tools, options: { choice, format } }: Conversation,
  seed: string,
): ProgramAnswer | undefined => {
  const isAnswered = turns[lastTurnIn(turns)]?.parts.some(({ kind }) => kind === 'result') === true;
  const tool = typeof choice === 'object' ? tools.find(({ name }) => name === choice.name) : tools[0];
  if (tool !== undefined && choice !== 'none' && !isAnswered) {
    const text = JSON.stringify(
      tool.kind === 'custom' ? { input: '[sandbox]' } : sampleOf({ type: 'object', ...tool.parameters }),
    );
    const id = `call_${createHash('sha256').update(seed).digest('hex').slice(0, 16)}`;
    const call = { index: 0, id, type: 'function', function: { name: tool.name, arguments: text } };
    return { delta: { tool_calls: [call] }, finishReason: 'tool_calls', text };
  }
  if (format === undefined) return undefined;
  const text = JSON.stringify(sampleOf(format === 'json' ? { properties: { answer: {} } } : format.schema));
  return { delta: { content: text }, finishReason: 'stop', text };
};

/** Executes the directives that act before the answer begins. */
const obey = async (directives: Directives, signal: AbortSignal): Promise<void> => {
  if (directives.reject) throw new ProviderFailed();
  if (directives.tooLong) throw new ContextTooLong(undefined);
  if (directives.timeout || directives.lost) await pause(2 ** 31 - 1, undefined, { signal, ref: false });
  if (directives.delayMs !== undefined) await pause(directives.delayMs, undefined, { signal });
  if (directives.fail) {
    await pause(FAIL_AFTER_MS, undefined, { signal });
    throw new ProviderFailed();
  }
};
