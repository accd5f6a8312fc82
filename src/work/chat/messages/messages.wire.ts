import type { Fields } from '#kernel/json';
import type { ThoughtBlock, WholeAnswer } from '../completions/completions.service';
import type { Meter } from '../completions/meter';
import { type ToolCall, argumentsOf } from '../compatible/answered-tool-call';
import type { MessagesAnswer, MessagesUsage } from './messages.dto';

const REASONS: Readonly<Record<string, string>> = {
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

export const reasonOf = (finish: string): string => REASONS[finish] ?? 'end_turn';

/** In this API, `input_tokens` excludes the tokens that were read from a cache or written into it. */
export const usageOf = ({ usage, cached }: Meter): MessagesUsage => ({
  input_tokens: Math.max(0, usage.prompt_tokens - cached.read - cached.written),
  output_tokens: usage.completion_tokens,
  cache_read_input_tokens: cached.read,
  cache_creation_input_tokens: cached.written,
});

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const thoughtBlock = ({ text, signature = '', redacted }: ThoughtBlock): Fields =>
  redacted === undefined
    ? { type: 'thinking', thinking: text, signature }
    : { type: 'redacted_thinking', data: redacted };

export const toMessage = (
  { id, modelId, message, thoughts, finish, meter }: WholeAnswer,
  showsThoughts: boolean,
): MessagesAnswer => {
  const { content, refusal, tool_calls: calls } = message;
  const text = textIn(content) + textIn(refusal);
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: modelId,
    content: [
      ...(showsThoughts ? thoughts.map(thoughtBlock) : []),
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...((calls ?? []) as readonly ToolCall[]).map((call, index) => ({
        type: 'tool_use',
        id: call.id ?? `toolu_${index}`,
        name: call.function?.name ?? '',
        input: argumentsOf(call.function?.arguments),
      })),
    ],
    stop_reason: reasonOf(finish),
    stop_sequence: null,
    usage: usageOf(meter),
  };
};

/** Adds the fields that stock clients of Anthropic's Messages expect to the usual envelope of errors. */
export const asMessagesError = (envelope: object): object => {
  const { error } = envelope as { readonly error?: { readonly requestId?: string } };
  return { type: 'error', ...envelope, request_id: error?.requestId };
};
