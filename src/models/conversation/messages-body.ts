import type { Fields } from '#kernel/json';
import { withoutAbsent } from '#kernel/present';
import type {
  Conversation,
  MediaPart,
  Part,
  Path,
  TextPart,
  Tool,
  Turn,
  AnswerOptions,
} from './conversation';
import { effortAt, effortOfBudget } from './effort';
import {
  Findings,
  PAID_FIELDS,
  allowed,
  beyond,
  eachAt,
  fieldsAt,
  limitAt,
  note,
  optionalFieldsAt,
  optionalNumberAt,
  optionalTextAt,
  refuse,
  refuseBeside,
  refuseBeyond,
  stopsAt,
  textAt,
  unsupported,
  wordAt,
  shown,
} from './reading';

const PASSED: ReadonlySet<string> = new Set([
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'thinking',
  'output_config',
  'cache_control',
  'context_management',
]);
const OURS: ReadonlySet<string> = new Set([...PAID_FIELDS, 'max_tokens', 'stream', 'mcp_servers']);

/** The fields that a kind defines. The screening reads all others as they are. */
const BLOCKS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['text', new Set(['type', 'text', 'cache_control'])],
  ['image', new Set(['type', 'source', 'cache_control'])],
  ['document', new Set(['type', 'source', 'cache_control'])],
  ['tool_use', new Set(['type', 'id', 'name', 'input', 'cache_control'])],
  ['tool_result', new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control'])],
  ['thinking', new Set(['type', 'thinking', 'signature'])],
  ['redacted_thinking', new Set(['type', 'data'])],
]);
const TURN = new Set(['role', 'content']);
const TOOL = new Set(['type', 'name', 'description', 'input_schema', 'strict', 'cache_control']);
const NOTHING = new Set<string>();

const SOURCES: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['base64', new Set(['type', 'media_type', 'data'])],
  ['text', new Set(['type', 'media_type', 'data'])],
  ['url', new Set(['type', 'url'])],
]);

/** Edits of the context that cost nothing. A compaction is one more answer of the model, which no count shows. */
const EDITS: ReadonlySet<unknown> = new Set(['clear_tool_uses_20250919', 'clear_thinking_20251015']);

/** Betas of Anthropic that change how a conversation is read, and not what it costs. */
const BETAS =
  /^(claude-code|interleaved-thinking|fine-grained-tool-streaming|context-management|effort|prompt-caching|token-efficient-tools|advanced-tool-use|tool-search|tool-examples|structured-outputs|adaptive-thinking|extended-cache-ttl|thinking-token-count|redact-thinking|mid-conversation-system)[\w-]{0,60}$/;

type Simple = TextPart | MediaPart;

/** Reads a body of `/v1/messages`. */
class MessagesReader {
  readonly findings = new Findings();
  private readonly toolNames = new Map<string, string>();

  turn(value: unknown, at: Path): Turn {
    const message = fieldsAt(value, at);
    const { role, content } = message;
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      return refuse(`${at}.role must be one of user, assistant, system.`, `${at}.role`);
    const more: unknown[] = [];
    note(more, beyond(message, TURN, at, this.findings));
    return this.turnOf(role, content, `${at}.content`, at, more);
  }

  turnOf(role: Turn['role'], content: unknown, at: Path, turn: Path, more: unknown[] = []): Turn {
    const parts: readonly Part[] =
      typeof content === 'string'
        ? [{ kind: 'text', text: content, at }]
        : eachAt(content, at, (block, path) => this.block(block, path, more)).flat();
    return { role, parts, at: turn, ...(more.length === 0 ? {} : { more }) };
  }

  private block(value: unknown, at: Path, more: unknown[]): readonly Part[] {
    const block = fieldsAt(value, at);
    const { type } = block;
    if (type !== 'image' && type !== 'document') refuseBeside(block, ['source'], at);
    switch (type) {
      case 'tool_use': {
        const [id, name] = [wordAt(block['id'], `${at}.id`), wordAt(block['name'], `${at}.name`)];
        this.toolNames.set(id, name);
        this.noteRest(block, at, more);
        const input = fieldsAt(block['input'] ?? {}, `${at}.input`);
        return [{ kind: 'call', id, name, input, at }];
      }
      case 'tool_result': {
        const of = wordAt(block['tool_use_id'], `${at}.tool_use_id`);
        const { content, is_error: isError } = block;
        this.noteRest(block, at, more);
        const path = `${at}.content`;
        const parts =
          typeof content === 'string'
            ? [{ kind: 'text' as const, text: content, at: path }]
            : eachAt(content, path, (each, inner) => this.simple(each, inner, more)).flat();
        const name = this.toolNames.get(of) ?? '';
        return [{ kind: 'result', of, name, parts, isError: isError === true, at }];
      }
      case 'thinking': {
        const isSigned = typeof block['signature'] === 'string' && block['signature'] !== '';
        this.findings.own(at);
        this.noteRest(block, at, more);
        return [{ kind: 'reasoning', text: textAt(block['thinking'], `${at}.thinking`), isSigned, at }];
      }
      case 'redacted_thinking':
        this.findings.own(at);
        this.noteRest(block, at, more);
        textAt(block['data'], `${at}.data`);
        return [{ kind: 'reasoning', text: '', isSigned: true, at }];
      default:
        return this.simple(value, at, more);
    }
  }

  /** A block that may also be inside the result of a tool. */
  private simple(value: unknown, at: Path, more: unknown[]): readonly Simple[] {
    const block = fieldsAt(value, at);
    const { type } = block;
    if (type !== 'image' && type !== 'document') refuseBeside(block, ['source'], at);
    this.noteRest(block, at, more);
    switch (type) {
      case 'text':
        return [{ kind: 'text', text: textAt(block['text'], `${at}.text`), at }];
      case 'image': {
        const source = this.sourceOf(block, at, /^image\/[a-z0-9.+-]{1,40}$/);
        return [this.findings.image({ kind: 'image', source, sent: block, at })];
      }
      case 'document':
        return this.document(block, at);
      case 'tool_reference':
        this.findings.own(at);
        return [];
      default:
        return unsupported('a part', type, at);
    }
  }

  private document(block: Fields, at: Path): readonly Simple[] {
    const source = fieldsAt(block['source'], `${at}.source`);
    if (source['type'] === 'text') {
      refuseBeyond(source, SOURCES.get('text') ?? NOTHING, `${at}.source`);
      return [{ kind: 'text', text: textAt(source['data'], `${at}.source.data`), at }];
    }
    if (source['type'] !== 'base64')
      return refuse(
        `${at}: send the bytes of a document, because no address of a document is fetched here.`,
        at,
      );
    const data = this.sourceOf(block, at, /^application\/pdf$/);
    return [this.findings.document({ kind: 'document', source: data, sent: block, at })];
  }

  private sourceOf(block: Fields, at: Path, mimes: RegExp): string {
    const path = `${at}.source`;
    const given = fieldsAt(block['source'], path);
    const { type, url, media_type: mime, data } = given;
    const known = SOURCES.get(type);
    if (known !== undefined) refuseBeyond(given, known, path);
    if (type === 'url') return textAt(url, `${path}.url`);
    if (type !== 'base64') return unsupported('a source', type, path);
    if (typeof mime !== 'string' || !mimes.test(mime))
      return refuse(`${path}.media_type is not supported here.`, `${path}.media_type`);
    return `data:${mime};base64,${textAt(data, `${path}.data`)}`;
  }

  private noteRest(block: Fields, at: Path, more: unknown[]): void {
    this.findings.ownIfPresent(block, 'cache_control', at);
    note(more, beyond(block, BLOCKS.get(block['type']) ?? NOTHING, at, this.findings));
  }

  tool(value: unknown, at: Path): Tool {
    const tool = fieldsAt(value, at);
    const { type = 'custom', name, description, input_schema: schema, strict } = tool;
    if (type !== 'custom' && type !== null) {
      refuse(
        `${at}: the tool ${shown(type)} runs at its maker, which no price here covers. Send tools of your own.`,
        `${at}.type`,
      );
    }
    this.findings.ownIfPresent(tool, 'cache_control', at);
    return withoutAbsent({
      kind: 'function' as const,
      name: wordAt(name, `${at}.name`),
      description: optionalTextAt(description, `${at}.description`),
      parameters: fieldsAt(schema, `${at}.input_schema`),
      strict: strict === true ? true : undefined,
      more: beyond(tool, TOOL, at, this.findings),
      at,
    });
  }
}

interface Thinking {
  readonly type?: unknown;
  readonly budget_tokens?: number;
}

const choiceOf = (value: unknown): Pick<AnswerOptions, 'choice' | 'parallel'> => {
  const choice = optionalFieldsAt(value, 'tool_choice');
  if (choice === undefined) return {};
  const { type, name, disable_parallel_tool_use: oneAtATime } = choice;
  const one = oneAtATime === true ? { parallel: false } : {};
  if (type === 'tool') return { choice: { name: wordAt(name, 'tool_choice.name') }, ...one };
  if (type === 'any') return { choice: 'required', ...one };
  if (type === 'auto' || type === 'none') return { choice: type, ...one };
  return unsupported('a choice', type, 'tool_choice');
};

const effortOf = (thinking: Thinking | undefined): AnswerOptions['effort'] =>
  thinking?.type === 'enabled'
    ? effortOfBudget(optionalNumberAt(thinking.budget_tokens, 'thinking.budget_tokens') ?? 0)
    : undefined;

/** Whether the caller asked for the model's thoughts. */
export const wantsThinking = (thinking: unknown): boolean =>
  thinking !== undefined && thinking !== null && (thinking as Thinking).type !== 'disabled';

/** The edits that a vendor may get. */
const editsIn = (value: unknown, findings: Findings): Fields => {
  const management = optionalFieldsAt(value, 'context_management');
  if (management === undefined) return {};
  refuseBeyond(management, new Set(['edits']), 'context_management');
  const edits = eachAt(management['edits'], 'context_management.edits', fieldsAt);
  const kept = edits.filter(({ type }) => EDITS.has(type));
  if (kept.length < edits.length) findings.ignore('context_management.edits[]');
  return { context_management: kept.length === 0 ? undefined : { edits: kept } };
};

const betasIn = (header: unknown, findings: Findings): Conversation['headers'] => {
  if (typeof header !== 'string') return undefined;
  const betas = header.split(',').map((beta) => beta.trim());
  const known = betas.filter((beta) => BETAS.test(beta));
  if (known.length < betas.length) findings.ignore('anthropic-beta');
  return known.length === 0 ? undefined : { 'anthropic-beta': known.join(',') };
};

/** Reads a body of Anthropic's Messages. `beta` is the header `anthropic-beta`. */
export const readMessages = (body: object, beta?: unknown): Conversation => {
  const fields = body as Fields;
  const reader = new MessagesReader();
  const { findings } = reader;
  if (Array.isArray(fields['mcp_servers']) && fields['mcp_servers'].length > 0)
    refuse('Tools that run elsewhere are not served: send tools of your own.', 'mcp_servers');
  const { effort, format } = optionalFieldsAt(fields['output_config'], 'output_config') ?? {};
  const thinking = optionalFieldsAt(fields['thinking'], 'thinking');
  const schema = optionalFieldsAt(format, 'output_config.format');
  const sent = allowed(fields, PASSED, OURS, findings);
  const system = reader.turnOf('system', fields['system'], 'system', 'system');
  const turns = eachAt(fields['messages'], 'messages', (value, at) => reader.turn(value, at));
  for (const name of ['top_k', 'cache_control', 'context_management'])
    if (fields[name] !== undefined) findings.own(name);
  return {
    api: 'messages',
    model: optionalTextAt(fields['model'], 'model')!,
    turns: system.parts.length === 0 ? turns : [system, ...turns],
    tools: eachAt(fields['tools'], 'tools', (value, at) => reader.tool(value, at)),
    options: withoutAbsent({
      maxTokens: limitAt(fields['max_tokens'], 'max_tokens'),
      temperature: optionalNumberAt(fields['temperature'], 'temperature'),
      topP: optionalNumberAt(fields['top_p'], 'top_p'),
      topK: optionalNumberAt(fields['top_k'], 'top_k'),
      stop: stopsAt(fields['stop_sequences'], 'stop_sequences'),
      effort: effortAt(effort, 'output_config.effort') ?? effortOf(thinking),
      ...choiceOf(fields['tool_choice']),
      format: schema && {
        schema: fieldsAt(schema['schema'], 'output_config.format.schema'),
        name: 'answer',
        strict: true,
      },
    }) as AnswerOptions,
    sent: { ...sent, ...editsIn(fields['context_management'], findings) },
    headers: betasIn(beta, findings)!,
    ...findings.all,
  };
};
