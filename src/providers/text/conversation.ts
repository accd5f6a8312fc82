import { fieldsOf, itemsOf, textOf } from '../http/answer-status';
import { ProviderFault } from '../http/provider-fault';
import type { ConversationRequest, TextRequest } from '../text-provider';

/** A part of a message. Images are our own copies. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mime: string; readonly data: string };

interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type Turn =
  | { readonly role: 'user'; readonly parts: readonly Part[] }
  | { readonly role: 'assistant'; readonly parts: readonly Part[]; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly id: string; readonly name: string; readonly parts: readonly Part[] };

interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: object;
  readonly strict: boolean;
}

/** A client's conversation, parsed once for all vendors whose API differs from OpenAI's. */
export interface Conversation {
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  /** `none`, `auto`, `required`, or the one tool that must be called. */
  readonly choice?: 'none' | 'auto' | 'required' | { readonly name: string };
  readonly parallel: boolean;
  /** A schema that the answer must follow, or `json` for any object. */
  readonly format?: 'json' | { readonly schema: object };
  readonly stop: readonly string[];
  readonly temperature?: number;
  readonly topP?: number;
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly effort?: string;
}

export const notServed = (why: string, param: string): ProviderFault =>
  new ProviderFault('not-served', why, { param });

const IMAGE = /^data:(image\/[a-z0-9.+-]{1,40});base64,/;

const partOf = (value: unknown): Part => {
  const { type, text, image_url: image } = fieldsOf(value);
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text };
  const url = textOf(fieldsOf(image)['url']) ?? '';
  const mime = IMAGE.exec(url.slice(0, 80))?.[1];
  if (mime === undefined) throw notServed('it knows no such part of a message', 'messages');
  return { kind: 'image', mime, data: url.slice(url.indexOf(',') + 1) };
};

const partsOf = (content: unknown): readonly Part[] => {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : itemsOf(content);
  // Several vendors refuse a message that contains an empty text.
  return parts.map(partOf).filter((part) => part.kind !== 'text' || part.text !== '');
};

const wordsOf = (content: unknown): string =>
  partsOf(content)
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('\n');

const inputOf = (args: unknown): ToolCall['input'] => {
  if (args === '' || args === undefined) return {};
  try {
    const input = JSON.parse(textOf(args) ?? '') as unknown;
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
      return input as ToolCall['input'];
    }
  } catch {
    // The error below covers this case as well.
  }
  throw notServed('it knows only objects as arguments of a tool', 'messages');
};

const callOf = (value: unknown): ToolCall => {
  const { id, function: called } = fieldsOf(value);
  const { name, arguments: args } = fieldsOf(called);
  return { id: textOf(id) ?? '', name: textOf(name) ?? '', input: inputOf(args) };
};

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const toolOf = (value: unknown): Tool => {
  const { name, description, parameters, strict } = fieldsOf(fieldsOf(value)['function']);
  return {
    name: textOf(name) ?? '',
    description: textOf(description),
    parameters: typeof parameters === 'object' && parameters !== null ? parameters : undefined,
    strict: strict === true,
  };
};

const choiceOf = (value: unknown): Conversation['choice'] => {
  if (value === 'none' || value === 'auto' || value === 'required') return value;
  const name = textOf(fieldsOf(fieldsOf(value)['function'])['name']);
  return name === undefined ? undefined : { name };
};

const formatOf = (value: unknown): Conversation['format'] => {
  const { type, json_schema: named } = fieldsOf(value);
  if (type === 'json_object') return 'json';
  const { schema } = fieldsOf(named);
  if (type !== 'json_schema') return undefined;
  if (typeof schema === 'object' && schema !== null) return { schema };
  throw notServed('its structured outputs need a schema', 'response_format');
};

export const readConversation = (body: ConversationRequest['body']): Conversation => {
  const system: string[] = [];
  const turns: Turn[] = [];
  const toolNames = new Map<string, string>();
  for (const message of body.messages) {
    const { role, content, tool_calls: called, tool_call_id: answered, name } = fieldsOf(message);
    if (role === 'system' || role === 'developer') system.push(wordsOf(content));
    else if (role === 'assistant') {
      const calls = itemsOf(called).map(callOf);
      for (const call of calls) toolNames.set(call.id, call.name);
      turns.push({ role, parts: partsOf(content), calls });
    } else if (role === 'tool') {
      const id = textOf(answered) ?? '';
      turns.push({ role, id, name: toolNames.get(id) ?? textOf(name) ?? '', parts: partsOf(content) });
    } else turns.push({ role: 'user', parts: partsOf(content) });
  }
  const { stop } = body;
  return {
    system: system.filter((text) => text !== '').join('\n\n'),
    turns,
    tools: itemsOf(body['tools']).map(toolOf),
    choice: choiceOf(body['tool_choice']),
    parallel: body['parallel_tool_calls'] !== false,
    format: formatOf(body['response_format']),
    stop: (Array.isArray(stop) ? stop : [stop]).flatMap((each) => textOf(each) ?? []),
    temperature: numberOf(body['temperature']),
    topP: numberOf(body['top_p']),
    seed: numberOf(body['seed']),
    frequencyPenalty: numberOf(body['frequency_penalty']),
    presencePenalty: numberOf(body['presence_penalty']),
    effort: textOf(body['reasoning_effort']),
  };
};

export const asConversation = ({ messages, temperature, reasoningEffort, ...call }: TextRequest) => ({
  ...call,
  body: { messages, temperature, reasoning_effort: reasoningEffort },
});

/** A whole number of tokens. Undefined for any other value of a vendor, which then does not count. */
export const countOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

/**
 * The turns as alternating messages of two sides, because vendors reject two consecutive messages of one side. All
 * texts and tool results between two answers become one message.
 */
export const alternatingMessages = (
  turns: readonly Turn[],
  partsOf: (turn: Turn) => readonly object[],
): readonly { readonly isAnswer: boolean; readonly parts: readonly object[] }[] => {
  const messages: { readonly isAnswer: boolean; readonly parts: object[] }[] = [];
  for (const turn of turns) {
    const isAnswer = turn.role === 'assistant';
    const parts = partsOf(turn);
    const last = messages.at(-1);
    if (last?.isAnswer === isAnswer) last.parts.push(...parts);
    else if (parts.length > 0) messages.push({ isAnswer, parts: [...parts] });
  }
  return messages;
};
