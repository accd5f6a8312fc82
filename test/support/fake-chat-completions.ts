import { type Received, type Said, FakeTextServer, VENDOR_WORDS } from './fake-text-server';
import type { FakeRequest } from './fake-provider';

interface Message {
  readonly role: string;
  readonly content?:
    | string
    | null
    | readonly { readonly text?: string; readonly image_url?: { url: string } }[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** The fields of OpenAI that Mistral accepts. Any other field makes it refuse the call. */
const MISTRAL_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'temperature',
  'top_p',
  'stream',
  'stop',
  'random_seed',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
]);

/** The chat completions of OpenAI, of Mistral, which is stricter, and of xAI, which has different errors. */
export class FakeChatCompletions extends FakeTextServer {
  protected readonly trouble = { error: { message: VENDOR_WORDS, type: 'overloaded_error', code: null } };

  constructor(private readonly maker: 'openai' | 'mistral' | 'xai') {
    super();
  }

  static start(maker: 'openai' | 'mistral' | 'xai' = 'openai'): Promise<FakeChatCompletions> {
    return new FakeChatCompletions(maker).start();
  }

  get received(): Received {
    const body = this.bodies.at(-1) as unknown as {
      model: string;
      messages: readonly Message[];
      max_tokens?: number;
      max_completion_tokens?: number;
      tools?: readonly { readonly function: { readonly name: string } }[];
      response_format?: { readonly json_schema?: { readonly schema: unknown } };
      stop?: string | readonly string[];
    };
    const names = new Map<string, string>();
    return {
      model: body.model,
      maxTokens: body.max_completion_tokens ?? body.max_tokens,
      system: body.messages
        .filter(({ role }) => role === 'system' || role === 'developer')
        .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
        .join('\n\n'),
      lines: body.messages.flatMap((message) => linesOf(message, names)),
      tools: (body.tools ?? []).map((tool) => tool.function.name),
      schema: body.response_format?.json_schema?.schema,
      stop: [body.stop ?? []].flat(),
    };
  }

  protected errorBody(status: number): unknown {
    const type =
      status === 429 ? 'rate_limit_exceeded' : status < 500 ? 'invalid_request_error' : 'server_error';
    const message = `${VENDOR_WORDS} ${this.maker}`;
    if (this.maker === 'xai') return { code: `${VENDOR_WORDS} as a sentence`, error: message };
    return this.maker === 'mistral'
      ? { object: 'error', message, type, param: null, code: '3000' }
      : { error: { message, type, param: null, code: null } };
  }

  protected isKnown({ path, headers }: FakeRequest): boolean {
    return path === '/v1/chat/completions' && headers.authorization === `Bearer ${this.key}`;
  }

  protected faultIn(body: Record<string, unknown>): string | undefined {
    if (this.maker !== 'mistral') return undefined;
    const strange = Object.keys(body).find((name) => !MISTRAL_FIELDS.has(name));
    if (strange !== undefined) return `${strange}: extra_forbidden`;
    const messages = body['messages'] as readonly Message[];
    const ids = messages.flatMap(({ tool_calls: calls = [], tool_call_id: id }) => [
      ...calls.map((call) => call.id),
      ...(id === undefined ? [] : [id]),
    ]);
    const bad = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
    return bad && `Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.`;
  }

  protected isStreamed(_: FakeRequest, body: Record<string, unknown>): boolean {
    return body['stream'] === true;
  }

  protected whole(said: Said): unknown {
    const { texts = [], finish = 'stop' } = said;
    const calls = callsOf(said);
    const message = {
      role: 'assistant',
      content: texts.length === 0 ? null : texts.join(''),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish }],
      usage: usageOf(said),
    };
  }

  protected events(said: Said): readonly unknown[] {
    const { texts = [], finish = 'stop' } = said;
    const chunk = (delta: object, reason: string | null = null) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    const calls = callsOf(said).flatMap(({ function: { name, arguments: args }, ...call }, index) => [
      chunk({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: args.slice(0, 5) } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: args.slice(5) } }] }),
    ]);
    const [first, ...others] = texts;
    return [
      ...(said.thinks === undefined ? [] : [chunk({ role: 'assistant', reasoning_content: said.thinks })]),
      ...(first === undefined ? [] : [chunk({ role: 'assistant', content: first })]),
      ...others.map((content) => chunk({ content })),
      ...calls,
      chunk({}, finish),
      ...(said.counts === undefined ? [] : [{ choices: [], usage: usageOf(said) }]),
      '[DONE]',
    ];
  }
}

const callsOf = ({ calls = [] }: Said) =>
  calls.map(({ name, input, id }, at) => ({
    id: `abcdefgh${id ?? at}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));

const usageOf = ({ counts }: Said): object | undefined =>
  counts && {
    prompt_tokens: counts.read,
    completion_tokens: counts.written,
    prompt_tokens_details: { cached_tokens: counts.cached ?? 0 },
  };

const linesOf = (message: Message, names: Map<string, string>): readonly string[] => {
  const { role, content, tool_calls: calls = [], tool_call_id: id } = message;
  if (role === 'system' || role === 'developer') return [];
  for (const call of calls) names.set(call.id, call.function.name);
  const who = role === 'tool' ? `tool ${names.get(id ?? '')}` : role;
  const parts = typeof content === 'string' ? [{ text: content }] : (content ?? []);
  return [
    ...parts.map((part) =>
      'image_url' in part
        ? `${who} shows ${/^data:([^;]+)/.exec(part.image_url?.url ?? '')?.[1]}`
        : `${who}: ${part.text}`,
    ),
    ...calls.map(
      (call) =>
        `${role} calls ${call.function.name} ${JSON.stringify(JSON.parse(call.function.arguments || '{}'))}`,
    ),
  ];
};
