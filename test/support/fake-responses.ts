import { type Received, type Said, FakeTextServer, VENDOR_WORDS } from './fake-text-server';
import type { FakeRequest } from './fake-provider';

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[];
  readonly name?: string;
  readonly arguments?: string | object;
  readonly input?: string;
  readonly call_id?: string;
  readonly output?: unknown;
}

/** The fields that OpenAI knows and that the service may send. */
const FIELDS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'temperature',
  'top_p',
  'text',
  'reasoning',
  'include',
  'prompt_cache_key',
  'max_output_tokens',
  'store',
  'stream',
]);

/** The Responses API of OpenAI. */
export class FakeResponses extends FakeTextServer {
  protected readonly trouble = {
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_error', message: VENDOR_WORDS } },
  };

  static start(): Promise<FakeResponses> {
    return new FakeResponses().start();
  }

  get env(): Readonly<Record<string, string>> {
    return {
      OPENAI_BASE_URL: `${this.origin}/v1`,
      OPENAI_API_KEY: this.key,
      OPENAI_QUIRKS: 'responses',
    };
  }

  get received(): Received {
    const body = this.bodies.at(-1) as unknown as {
      model: string;
      max_output_tokens: number;
      instructions?: string;
      input: string | readonly Item[];
      tools?: readonly { readonly name?: string; readonly type: string }[];
    };
    const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
    return {
      model: body.model,
      maxTokens: body.max_output_tokens,
      system: body.instructions ?? '',
      lines: items.map(lineOf),
      tools: (body.tools ?? []).map(({ name, type }) => name ?? type),
      stop: [],
    };
  }

  protected errorBody(status: number): unknown {
    const type = status < 500 ? 'invalid_request_error' : 'server_error';
    return { error: { message: `${VENDOR_WORDS} openai`, type, param: null, code: null } };
  }

  protected isKnown({ path, headers }: FakeRequest): boolean {
    return path.startsWith('/v1/responses') && headers.authorization === `Bearer ${this.key}`;
  }

  protected faultIn(body: Record<string, unknown>): string | undefined {
    const strange = Object.keys(body).find((name) => !FIELDS.has(name));
    if (strange !== undefined) return `Unknown parameter: '${strange}'.`;
    return body['store'] === false ? undefined : 'The service must store nothing.';
  }

  protected isStreamed(): boolean {
    return true;
  }

  protected whole(): unknown {
    throw new Error('Every call is a stream.');
  }

  protected events(said: Said): readonly unknown[] {
    const { texts = [], calls = [], finish = 'stop', counts, thinks, signature } = said;
    const head = {
      id: 'resp_1',
      object: 'response',
      model: 'gpt-5.5-2026-10-01',
      status: 'in_progress',
      output: [],
    };
    const items = [
      ...(thinks === undefined
        ? []
        : [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: signature ?? 'c2VjcmV0' }]),
      ...(texts.length === 0 ? [] : [messageOf(texts.join(''))]),
      ...calls.map(({ name, namespace, input, id }, at) => ({
        ...callOf(name, input, id ?? String(at)),
        ...(namespace !== undefined && { namespace }),
      })),
    ];
    let place = -1;
    const ended = {
      ...head,
      status: finish === 'length' ? 'incomplete' : 'completed',
      incomplete_details: finish === 'length' ? { reason: 'max_output_tokens' } : null,
      output: items,
      usage: counts && {
        input_tokens: counts.read,
        input_tokens_details: { cached_tokens: counts.cached ?? 0 },
        output_tokens: counts.written,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 0,
      },
    };
    const events = [
      { type: 'response.created', response: head },
      { type: 'response.in_progress', response: head },
      ...items.flatMap((item) => {
        place += 1;
        const at = { item_id: item.id, output_index: place };
        return [
          { type: 'response.output_item.added', output_index: place, item: { ...item, ...begun(item) } },
          ...deltasOf(item, texts).map((event) => ({ ...event, ...at })),
          { type: 'response.output_item.done', output_index: place, item },
        ];
      }),
      { type: `response.${ended.status}`, response: ended },
    ];
    return events.map((event, sequence_number) => ({ ...event, sequence_number }));
  }

  protected override encode(data: unknown): string {
    return `event: ${(data as { type: string }).type}\n${super.encode(data) as string}`;
  }
}

/** An item begins without the words that its deltas contain. */
const begun = ({ type }: Item): object =>
  type === 'message'
    ? { content: [] }
    : type === 'function_call'
      ? { arguments: '' }
      : type === 'custom_tool_call'
        ? { input: '' }
        : {};

const messageOf = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

/** An input with only a text is that of a custom tool. The maker has a kind of its own for the search of tools. */
const callOf = (name: string, input: object, at: string) => {
  const { text, ...more } = input as { readonly text?: string };
  const called = { id: `fc_${at}`, call_id: `call_of_openai_${at}`, name, status: 'completed' };
  if (name === 'tool_search')
    return { type: 'tool_search_call', ...called, execution: 'client', arguments: input };
  return text !== undefined && Object.keys(more).length === 0
    ? { type: 'custom_tool_call', ...called, input: text }
    : { type: 'function_call', ...called, arguments: JSON.stringify(input) };
};

const deltasOf = (item: { readonly type: string } & Item, texts: readonly string[]): readonly object[] => {
  if (item.type === 'message')
    return texts.map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta }));
  if (item.type === 'function_call')
    return [{ type: 'response.function_call_arguments.delta', delta: item.arguments }];
  return item.type === 'custom_tool_call'
    ? [{ type: 'response.custom_tool_call_input.delta', delta: item.input }]
    : [];
};

const lineOf = ({ type = 'message', role, content, name, arguments: args, input, output }: Item): string => {
  if (type.endsWith('call'))
    return `assistant calls ${name} ${typeof args === 'object' ? JSON.stringify(args) : (args ?? input)}`;
  if (type.endsWith('output')) return `tool: ${JSON.stringify(output)}`;
  if (type !== 'message') return type;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return parts.map((part) => `${role}: ${part.text ?? part.type}`).join(', ');
};
