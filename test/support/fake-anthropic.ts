import { type Received, type Said, FakeTextServer, VENDOR_WORDS } from './fake-text-server';
import type { FakeRequest } from './fake-provider';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly input?: object;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
  readonly source?: { readonly media_type: string };
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

const blocksOf = (content: string | readonly Block[] = ''): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

const FIELDS: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stop_sequences',
  'output_config',
  'temperature',
  'top_p',
  'top_k',
  'thinking',
  'cache_control',
  'context_management',
  'stream',
]);

const REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const;

const ERRORS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** The Messages API of Anthropic, with its strict checks. */
export class FakeAnthropic extends FakeTextServer {
  protected readonly trouble = {
    type: 'error',
    error: { type: 'overloaded_error', message: `${VENDOR_WORDS} Overloaded` },
  };

  static start(): Promise<FakeAnthropic> {
    return new FakeAnthropic().start();
  }

  get env(): Readonly<Record<string, string>> {
    return { ANTHROPIC_BASE_URL: `${this.origin}/v1`, ANTHROPIC_API_KEY: this.key };
  }

  get received(): Received {
    const body = this.bodies.at(-1) as unknown as {
      model: string;
      max_tokens: number;
      system?: string | readonly Block[];
      messages: readonly Message[];
      tools?: readonly { readonly name: string }[];
      stop_sequences?: readonly string[];
      output_config?: { readonly format?: { readonly schema: unknown } };
    };
    const names = new Map<string, string>();
    return {
      model: body.model,
      maxTokens: body.max_tokens,
      system: textIn(body.system),
      lines: body.messages.flatMap(({ role, content }) =>
        blocksOf(content).map((block) => lineOf(role, block, names)),
      ),
      tools: (body.tools ?? []).map(({ name }) => name),
      schema: body.output_config?.format?.schema,
      stop: body.stop_sequences ?? [],
    };
  }

  protected errorBody(status: number): unknown {
    const type = ERRORS[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
    return { type: 'error', error: { type, message: `${VENDOR_WORDS} anthropic` }, request_id: 'req_1' };
  }

  protected isKnown({ path, headers }: FakeRequest): boolean {
    return (
      (path === '/v1/messages' || path === '/v1/messages/count_tokens') &&
      headers['x-api-key'] === this.key &&
      headers['anthropic-version'] === '2023-06-01'
    );
  }

  protected faultIn(body: Record<string, unknown>): string | undefined {
    const strange = Object.keys(body).find((name) => !FIELDS.has(name));
    if (strange !== undefined) return `${strange}: Extra inputs are not permitted`;
    if (typeof body['max_tokens'] !== 'number') return 'max_tokens: Field required';
    const messages = body['messages'] as readonly Message[];
    let open: readonly string[] = [];
    for (const message of messages) {
      const content = blocksOf(message.content);
      if (content.some(({ type, text }) => type === 'text' && text === '')) return 'text must be non-empty';
      const answered = content.flatMap(({ tool_use_id: id }) => id ?? []);
      if (open.some((id) => !answered.includes(id))) return 'tool_use ids without tool_result blocks';
      if (answered.some((id) => !open.includes(id))) return 'unexpected tool_use_id';
      open = content.flatMap(({ type, id }) => (type === 'tool_use' ? (id ?? '') : []));
      if (open.some((id) => !/^[a-zA-Z0-9_-]+$/.test(id))) return 'tool_use.id: String should match pattern';
    }
    return undefined;
  }

  protected isStreamed(_: FakeRequest, body: Record<string, unknown>): boolean {
    return body['stream'] === true;
  }

  protected whole({ texts = [], calls = [], finish = 'stop', counts }: Said): unknown {
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [
        ...(texts.length === 0 ? [] : [{ type: 'text', text: texts.join('') }]),
        ...calls.map(({ name, input, id }, at) => ({
          type: 'tool_use',
          id: `toolu_${id ?? at}`,
          name,
          input,
        })),
      ],
      stop_reason: REASONS[finish],
      stop_sequence: null,
      usage: counts && {
        input_tokens: counts.read,
        output_tokens: counts.written,
        cache_read_input_tokens: counts.cached ?? 0,
        cache_creation_input_tokens: 0,
      },
    };
  }

  protected events(said: Said): readonly unknown[] {
    const { texts = [], calls = [], finish = 'stop', counts, thinks, signature = '' } = said;
    const change = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
    const thoughts = thinks === undefined ? 0 : 1;
    const begun = { ...(this.whole({ ...said, texts: [], calls: [] }) as object), stop_reason: null };
    return [
      { type: 'message_start', message: begun },
      ...(thinks === undefined
        ? []
        : [
            {
              type: 'content_block_start',
              index: 0,
              content_block: { type: 'thinking', thinking: '', signature: '' },
            },
            change(0, { type: 'thinking_delta', thinking: thinks }),
            change(0, { type: 'signature_delta', signature }),
            { type: 'content_block_stop', index: 0 },
          ]),
      ...(texts.length === 0
        ? []
        : [
            { type: 'content_block_start', index: thoughts, content_block: { type: 'text', text: '' } },
            { type: 'ping' },
            ...texts.map((text) => change(thoughts, { type: 'text_delta', text })),
            { type: 'content_block_stop', index: thoughts },
          ]),
      ...calls.flatMap(({ name, input, id }, at) => {
        const json = JSON.stringify(input);
        const index = at + 1 + thoughts;
        const delta = (part: string) => change(index, { type: 'input_json_delta', partial_json: part });
        return [
          {
            type: 'content_block_start',
            index,
            content_block: { type: 'tool_use', id: `toolu_${id ?? at}`, name, input: {} },
          },
          delta(''),
          delta(json.slice(0, 5)),
          delta(json.slice(5)),
          { type: 'content_block_stop', index },
        ];
      }),
      {
        type: 'message_delta',
        delta: { stop_reason: REASONS[finish], stop_sequence: null },
        usage: counts && { output_tokens: counts.written },
      },
      { type: 'message_stop' },
    ];
  }
}

const textIn = (content?: string | readonly Block[]): string =>
  blocksOf(content)
    .map(({ text }) => text ?? '')
    .join('');

const lineOf = (role: string, block: Block, names: Map<string, string>): string => {
  switch (block.type) {
    case 'tool_use':
      names.set(block.id ?? '', block.name ?? '');
      return `${role} calls ${block.name} ${JSON.stringify(block.input)}`;
    case 'tool_result':
      return `tool ${names.get(block.tool_use_id ?? '')}: ${textIn(block.content)}`;
    case 'image':
      return `${role} shows ${block.source?.media_type}`;
    default:
      return `${role}: ${block.text}`;
  }
};
