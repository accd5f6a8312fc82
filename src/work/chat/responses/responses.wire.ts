import { isFields, jsonIn } from '#kernel/json';
import type { Conversation, Tool } from '#models/conversation/conversation';
import type { WholeAnswer } from '../completions/completions.service';
import type { Meter } from '../completions/meter';
import type { ResponsesAnswer, ResponsesBody, ResponsesUsage } from './responses.dto';

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

/** The caller's tools by the names that the vendor knows. */
export type ToolNames = ReadonlyMap<string, Tool>;

export const toolNamesOf = ({ tools }: Conversation): ToolNames =>
  new Map(tools.map((tool) => [tool.name, tool]));

/** The text of a custom tool's only field. A token limit may cut it off. */
const inputIn = (text: string): string => {
  const fields = jsonIn(text);
  return isFields(fields) && typeof fields['input'] === 'string' ? fields['input'] : text;
};

/** The item of a tool call, in the form of the caller's own tool. */
export const callItem = (
  id: string,
  index: number,
  call: { readonly id?: string; readonly name?: string; readonly arguments?: string },
  tools: ToolNames,
  status = 'completed',
) => {
  const { name = '', arguments: text = '' } = call;
  const tool = tools.get(name);
  const named = {
    call_id: call.id ?? `call_${index}`,
    name: tool?.within?.name ?? name,
    ...(tool?.within === undefined ? {} : { namespace: tool.within.namespace }),
  };
  return tool?.kind === 'custom'
    ? { type: 'custom_tool_call', id: `ctc_${id}_${index}`, ...named, input: inputIn(text), status }
    : { type: 'function_call', id: `fc_${id}_${index}`, ...named, arguments: text, status };
};

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
  { id, modelId, message, items, finish, meter }: WholeAnswer,
  body: ResponsesBody,
  tools: ToolNames,
): ResponsesAnswer => {
  const text = textIn(message['content']);
  const refusal = textIn(message['refusal']);
  const calls = (message['tool_calls'] ?? []) as readonly Call[];
  return {
    ...responseOf({ id, modelId, createdAt: Math.floor(Date.now() / 1_000) }, body),
    ...endOf(finish),
    output: [
      ...items,
      ...(text === '' && refusal === '' ? [] : [messageItem(id, text, refusal)]),
      ...calls.map((call, index) => callItem(id, index, { id: call.id, ...call.function }, tools)),
    ],
    usage: usageOf(meter),
  };
};
