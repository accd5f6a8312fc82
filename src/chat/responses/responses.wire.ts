import { ifPresent, present, withoutAbsent } from '../../kernel/present';
import type { WholeAnswer } from '../completions/completions.service';
import type { CompletionBody } from '../completions/completions.dto';
import type { Meter } from '../completions/meter';
import { type Placed, type Translated, limitOf, refuse, translated } from '../compatible/translated';
import type { ResponsesAnswer, ResponsesBody, ResponsesUsage } from './responses.dto';

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly image_url?: string;
  readonly detail?: string;
}

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly Part[];
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: string | readonly Part[];
}

interface Tool {
  readonly name: string;
  readonly description?: string | null;
  readonly parameters?: object | null;
  readonly strict?: boolean | null;
}

interface Format {
  readonly type: string;
  readonly name?: string;
  readonly schema?: object;
  readonly strict?: boolean | null;
}

const contentOf = (content: string | readonly Part[] = ''): string | readonly object[] =>
  typeof content === 'string'
    ? content
    : content.map(({ text, refusal, image_url: url, detail }) =>
        url === undefined
          ? { type: 'text', text: text ?? refusal ?? '' }
          : { type: 'image_url', image_url: withoutAbsent({ url, detail }) },
      );

const placesOf = (content: string | readonly Part[] | undefined, at: string): readonly string[] | undefined =>
  Array.isArray(content) ? content.map((_, index) => `${at}[${index}]`) : undefined;

/** Consecutive calls become one message in the common shape, together with the model's message before them. */
const placedOf = (items: readonly Item[]): readonly Placed[] => {
  const placed: Placed[] = [];
  for (const [index, item] of items.entries()) {
    const at = `input[${index}]`;
    const { type = 'message', role = 'user', call_id: id } = item;
    if (type === 'reasoning') continue;
    if (type === 'function_call') {
      const call = { id, type: 'function', function: { name: item.name, arguments: item.arguments } };
      const last = placed.at(-1);
      if (last?.message.role === 'assistant') {
        const calls = [...(last.message.tool_calls ?? []), call];
        placed[placed.length - 1] = { ...last, message: { ...last.message, tool_calls: calls } };
      } else placed.push({ message: { role: 'assistant', content: null, tool_calls: [call] }, at });
      continue;
    }
    const isOutput = type === 'function_call_output';
    const content = isOutput ? item.output : item.content;
    placed.push({
      message: withoutAbsent({
        role: isOutput ? 'tool' : role,
        content: contentOf(content),
        tool_call_id: isOutput ? id : undefined,
      }),
      at,
      parts: placesOf(content, `${at}.${isOutput ? 'output' : 'content'}`),
    });
  }
  return placed;
};

const choiceOf = (choice: unknown): unknown =>
  typeof choice === 'string'
    ? choice
    : { type: 'function', function: { name: (choice as { readonly name: string }).name } };

const formatOf = ({ type, name, schema, strict }: Format): object => {
  if (type !== 'json_schema') return { type };
  if (schema === undefined) refuse('A format of the type json_schema needs its schema.', 'text.format');
  return {
    type,
    json_schema: withoutAbsent({ name: name ?? 'answer', schema, strict: strict ?? undefined }),
  };
};

const refuseUnserved = (body: ResponsesBody): void => {
  if (body.store === true) refuse('Nothing is stored: leave store out, or send false.', 'store');
  if (body.background === true) refuse('Answers do not run in the background.', 'background');
  for (const field of ['previous_response_id', 'conversation', 'prompt'] as const) {
    if (present(body[field]) !== undefined) {
      refuse(`Nothing is stored, so ${field} names nothing: send the whole conversation as input.`, field);
    }
  }
};

const NAMES = {
  messages: 'input',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  max_tokens: 'max_output_tokens',
};

export const toCommon = (body: ResponsesBody): Translated => {
  refuseUnserved(body);
  const { input, instructions, text, reasoning, tools, tool_choice: choice } = body;
  const { format } = (text ?? {}) as { readonly format?: Format };
  const { effort } = (reasoning ?? {}) as { readonly effort?: string | null };
  const fields: Omit<CompletionBody, 'messages'> = withoutAbsent({
    model: body.model,
    max_tokens: ifPresent(body.max_output_tokens, limitOf),
    temperature: body.temperature,
    top_p: body.top_p,
    reasoning_effort: present(effort),
    parallel_tool_calls: body.parallel_tool_calls,
    tools: (tools as readonly Tool[] | undefined)?.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: withoutAbsent({
        name,
        description: present(description),
        parameters: present(parameters),
        strict: present(strict),
      }),
    })),
    tool_choice: ifPresent(choice, choiceOf),
    response_format: ifPresent(format, formatOf),
  });
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input as readonly Item[]);
  const prompt = present(instructions) ?? '';
  const first: Placed[] =
    prompt === '' ? [] : [{ message: { role: 'system', content: prompt }, at: 'instructions' }];
  return translated(fields, [...first, ...placedOf(items)], NAMES);
};

export const usageOf = ({ usage, cached }: Meter): ResponsesUsage => ({
  input_tokens: usage.prompt_tokens,
  input_tokens_details: { cached_tokens: cached.read },
  output_tokens: usage.completion_tokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.total_tokens,
});

/** The item of the text or the refusal. */
export const messageItem = (id: string, text: string, refusal: string, status = 'completed') => ({
  type: 'message',
  id: `msg_${id}`,
  status,
  role: 'assistant',
  content: [
    ...(text === '' && refusal !== '' ? [] : [{ type: 'output_text', text, annotations: [] }]),
    ...(refusal === '' ? [] : [{ type: 'refusal', refusal }]),
  ],
});

/** The item of a tool call. */
export const callItem = (
  id: string,
  index: number,
  call: { readonly id?: string; readonly name?: string; readonly arguments?: string },
  status = 'completed',
) => ({
  type: 'function_call',
  id: `fc_${id}_${index}`,
  call_id: call.id ?? `call_${index}`,
  name: call.name ?? '',
  arguments: call.arguments ?? '',
  status,
});

/** The fields of the request that an answer repeats, and the fields that are the same in all answers. */
export const responseOf = (
  { id, modelId, createdAt }: { readonly id: string; readonly modelId: string; readonly createdAt: number },
  body: ResponsesBody,
): Omit<ResponsesAnswer, 'usage'> => ({
  id,
  object: 'response',
  created_at: createdAt,
  status: 'in_progress',
  incomplete_details: null,
  error: null,
  model: modelId,
  output: [],
  store: false,
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  tools: body.tools ?? [],
  tool_choice: body.tool_choice ?? 'auto',
  metadata: {},
  instructions: body.instructions ?? null,
  temperature: body.temperature ?? null,
  top_p: body.top_p ?? null,
});

const WHY: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

/** The status of an answer, by its finish reason. */
export const endOf = (finish: string): Pick<ResponsesAnswer, 'status' | 'incomplete_details'> => {
  const reason = WHY[finish];
  return reason === undefined
    ? { status: 'completed', incomplete_details: null }
    : { status: 'incomplete', incomplete_details: { reason } };
};

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

interface Call {
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

export const toResponse = (
  { id, modelId, message, finish, meter }: WholeAnswer,
  body: ResponsesBody,
): ResponsesAnswer => {
  const text = textIn(message['content']);
  const refusal = textIn(message['refusal']);
  const calls = (message['tool_calls'] ?? []) as readonly Call[];
  return {
    ...responseOf({ id, modelId, createdAt: Math.floor(Date.now() / 1_000) }, body),
    ...endOf(finish),
    output: [
      ...(text === '' && refusal === '' ? [] : [messageItem(id, text, refusal)]),
      ...calls.map((call, index) => callItem(id, index, { id: call.id, ...call.function })),
    ],
    usage: usageOf(meter),
  };
};
