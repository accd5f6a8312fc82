import { ifPresent, withoutAbsent } from '../../kernel/present';
import type { WholeAnswer } from '../completions/completions.service';
import type { CompletionBody } from '../completions/completions.dto';
import type { Meter } from '../completions/meter';
import { type ToolCall, argumentsOf } from '../compatible/answered';
import {
  type Placed,
  type Translated,
  effortOfBudget,
  limitOf,
  refuse,
  translated,
} from '../compatible/translated';
import type { MessageParam, MessagesAnswer, MessagesBody, MessagesUsage } from './messages.dto';

interface Source {
  readonly type: 'base64' | 'url';
  readonly media_type?: string;
  readonly data?: string;
  readonly url?: string;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly source?: Source;
  readonly id?: string;
  readonly name?: string;
  readonly input?: object;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
  readonly is_error?: boolean;
}

interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: object;
  readonly strict?: boolean;
}

interface ToolChoice {
  readonly type: 'auto' | 'any' | 'tool' | 'none';
  readonly name?: string;
  readonly disable_parallel_tool_use?: boolean;
}

interface OutputConfig {
  readonly effort?: string;
  readonly format?: { readonly schema: object };
}

interface Thinking {
  readonly type: 'enabled' | 'adaptive' | 'disabled';
  readonly budget_tokens?: number;
}

/** A content block with its path in the caller's body. */
interface PlacedBlock {
  readonly block: Block;
  readonly at: string;
}

const blocksOf = (content: unknown, at: string): readonly PlacedBlock[] =>
  typeof content === 'string'
    ? [{ block: { type: 'text', text: content }, at }]
    : ((content ?? []) as readonly Block[]).map((block, index) => ({ block, at: `${at}[${index}]` }));

const urlOf = ({ type, media_type: mime, data, url }: Source): string =>
  (type === 'url' ? url : `data:${mime};base64,${data}`) ?? '';

/** In the common shape, a part is a text or an image. */
const partsOf = (blocks: readonly PlacedBlock[]): readonly object[] =>
  blocks.map(({ block: { text, source } }) =>
    source === undefined ? { type: 'text', text } : { type: 'image_url', image_url: { url: urlOf(source) } },
  );

const said = (role: string, blocks: readonly PlacedBlock[], at: string, more: object = {}): Placed => ({
  message: { role, content: partsOf(blocks), ...more },
  at,
  parts: blocks.map((placed) => placed.at),
});

/** In the common shape, tool results are separate messages and come before the user's other text. */
const placedOf = ({ role, content }: MessageParam, index: number): readonly Placed[] => {
  const at = `messages[${index}]`;
  const blocks = blocksOf(content, `${at}.content`);
  const spoken = blocks.filter(({ block: { type } }) => type === 'text' || type === 'image');
  if (role === 'assistant') {
    const calls = blocks.flatMap(({ block: { type, id, name, input } }) =>
      type === 'tool_use'
        ? [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }]
        : [],
    );
    if (spoken.length > 0) return [said(role, spoken, at, calls.length > 0 ? { tool_calls: calls } : {})];
    return calls.length > 0 ? [{ message: { role, content: null, tool_calls: calls }, at }] : [];
  }
  const results = blocks
    .filter(({ block }) => block.type === 'tool_result')
    .map(({ block, at: place }): Placed => {
      const inside = blocksOf(block.content, `${place}.content`);
      const id = { tool_call_id: block.tool_use_id };
      return inside.length === 0
        ? { message: { role: 'tool', content: '', ...id }, at: place }
        : said('tool', inside, place, id);
    });
  return [...results, ...(spoken.length > 0 ? [said(role, spoken, at)] : [])];
};

const effortOf = ({ type, budget_tokens: budget = 0 }: Thinking): string | undefined =>
  type === 'enabled' ? effortOfBudget(budget) : undefined;

/** Whether the caller asked for the model's thoughts. */
export const wantsThoughts = ({ thinking }: MessagesBody): boolean =>
  thinking !== undefined && (thinking as Thinking).type !== 'disabled';

const choiceOf = ({ type, name }: ToolChoice): unknown => {
  if (type === 'tool') return { type: 'function', function: { name } };
  return type === 'any' ? 'required' : type;
};

const NAMES = {
  stop: 'stop_sequences',
  response_format: 'output_config.format',
  reasoning_effort: 'output_config.effort',
  parallel_tool_calls: 'tool_choice',
};

export const toCommon = (body: MessagesBody): Translated => {
  const { system, tools, tool_choice: choice, output_config: config, thinking } = body;
  if (body.top_k !== undefined) refuse('top_k is not served: leave it out.', 'top_k');
  if (body.mcp_servers !== undefined && body.mcp_servers.length > 0) {
    refuse('Tools that run elsewhere are not served: send tools of your own.', 'mcp_servers');
  }
  const { effort, format } = (config ?? {}) as OutputConfig;
  const chosen = choice as ToolChoice | undefined;
  const fields: Omit<CompletionBody, 'messages'> = withoutAbsent({
    model: body.model,
    max_tokens: limitOf(body.max_tokens),
    temperature: body.temperature,
    top_p: body.top_p,
    stop: body.stop_sequences,
    reasoning_effort: effort ?? ifPresent(thinking as Thinking | undefined, effortOf),
    tools: (tools as readonly Tool[] | undefined)?.map(({ name, description, input_schema, strict }) => ({
      type: 'function',
      function: { name, description, parameters: input_schema, strict },
    })),
    tool_choice: ifPresent(chosen, choiceOf),
    parallel_tool_calls: chosen?.disable_parallel_tool_use === true ? false : undefined,
    response_format: format && {
      type: 'json_schema',
      json_schema: { name: 'answer', strict: true, schema: format.schema },
    },
  });
  const prompt = blocksOf(system, 'system');
  const first = prompt.length === 0 ? [] : [said('system', prompt, 'system')];
  return translated(fields, [...first, ...body.messages.flatMap(placedOf)], NAMES);
};

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

export const toMessage = (
  { id, modelId, message, finish, meter }: WholeAnswer,
  showsThoughts: boolean,
): MessagesAnswer => {
  const { content, refusal, reasoning_content: thought, tool_calls: calls } = message;
  const text = textIn(content) + textIn(refusal);
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: modelId,
    content: [
      ...(showsThoughts && textIn(thought) !== ''
        ? [{ type: 'thinking', thinking: thought, signature: '' }]
        : []),
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
