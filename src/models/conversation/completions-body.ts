import { isFields } from '#kernel/json';
import { withoutAbsent } from '#kernel/present';
import type { Conversation, MediaPart, Part, Path, Tool, Turn, AnswerOptions } from './conversation';
import { effortAt } from './effort';
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
} from './reading';

const PASSED: ReadonlySet<string> = new Set([
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'stop',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'reasoning_effort',
  'verbosity',
  'prompt_cache_key',
]);
const OURS: ReadonlySet<string> = new Set([
  ...PAID_FIELDS,
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
  'n',
  'store',
]);

/** The fields that a kind defines. The screening reads all others as they are. */
const MESSAGE = new Set(['role', 'content', 'tool_calls', 'reasoning_content', 'refusal', 'audio']);
const RESULT = new Set(['role', 'content', 'tool_call_id']);
const TEXT = new Set(['type', 'text', 'cache_control']);
const REFUSAL = new Set(['type', 'refusal']);
const IMAGE = new Set(['type', 'image_url', 'cache_control']);
const IMAGE_URL = new Set(['url', 'detail']);
const FILE_PART = new Set(['type', 'file', 'cache_control']);
const FILE = new Set(['file_data', 'filename']);
const CALL = new Set(['id', 'type', 'function', 'custom', 'index', 'extra_content']);
const CALLED = new Set(['name', 'arguments', 'input']);
const EXTRA = new Set(['google']);
const GOOGLE = new Set(['thought_signature']);
const TOOL = new Set(['type', 'function', 'custom', 'cache_control']);
const FUNCTION = new Set(['name', 'description', 'parameters', 'strict']);
const CUSTOM = new Set(['name', 'description']);

const ROLES: ReadonlyMap<unknown, Turn['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
]);

type Simple = Extract<Part, { readonly kind: 'text' | 'image' | 'document' }>;

/** Reads a body of `/v1/chat/completions`. */
class CompletionsReader {
  readonly findings = new Findings();
  private readonly toolNames = new Map<string, string>();

  turn(value: unknown, at: Path): Turn {
    const message = fieldsAt(value, at);
    const { role, content, reasoning_content: thought, refusal, tool_call_id: of, audio } = message;
    if (audio !== undefined && audio !== null) unsupported('a part', 'audio', `${at}.audio`);
    const more: unknown[] = [];
    const isResult = role === 'tool' || role === 'function';
    note(more, beyond(message, isResult ? RESULT : MESSAGE, at, this.findings));
    const simple = this.parts(content, `${at}.content`, more);
    if (isResult) {
      const id = typeof of === 'string' ? wordAt(of, `${at}.tool_call_id`) : '';
      const name = this.toolNames.get(id) ?? optionalTextAt(message['name'], `${at}.name`) ?? '';
      const result: Part = { kind: 'result', of: id, name, parts: simple, isError: false, at };
      return { role: 'user', parts: [result], at, ...(more.length === 0 ? {} : { more }) };
    }
    const parts: Part[] = [];
    const thoughts = optionalTextAt(thought, `${at}.reasoning_content`) ?? '';
    if (thoughts !== '') {
      const path = `${at}.reasoning_content`;
      parts.push({ kind: 'reasoning', text: thoughts, isSigned: false, at: path });
      this.findings.own(path);
    }
    parts.push(...simple);
    const refused = optionalTextAt(refusal, `${at}.refusal`) ?? '';
    if (refused !== '') parts.push({ kind: 'text', text: refused, at: `${at}.refusal` });
    parts.push(
      ...eachAt(message['tool_calls'], `${at}.tool_calls`, (call, path) => this.call(call, path, more)),
    );
    return {
      role: ROLES.get(role) ?? refuse(`${at}.role is not a role of this interface.`, `${at}.role`),
      parts,
      at,
      ...(more.length === 0 ? {} : { more }),
    };
  }

  private parts(content: unknown, at: Path, more: unknown[]): readonly Simple[] {
    if (content === undefined || content === null) return [];
    if (typeof content === 'string') return [{ kind: 'text', text: content, at }];
    return eachAt(content, at, (value, path) => this.part(value, path, more));
  }

  private part(value: unknown, at: Path, more: unknown[]): Simple {
    const part = fieldsAt(value, at);
    const { type } = part;
    this.findings.ownIfPresent(part, 'cache_control', at);
    if (type !== 'image_url') refuseBeside(part, ['image_url'], at);
    if (type !== 'file') refuseBeside(part, ['file'], at);
    refuseBeside(part, ['input_audio', 'video_url'], at);
    switch (type) {
      case 'text':
        note(more, beyond(part, TEXT, at, this.findings));
        return { kind: 'text', text: textAt(part['text'], `${at}.text`), at };
      case 'refusal':
        note(more, beyond(part, REFUSAL, at, this.findings));
        return { kind: 'text', text: textAt(part['refusal'], `${at}.refusal`), at };
      case 'image_url': {
        note(more, beyond(part, IMAGE, at, this.findings));
        const image = fieldsAt(part['image_url'], `${at}.image_url`);
        refuseBeyond(image, IMAGE_URL, `${at}.image_url`);
        const source = textAt(image['url'], `${at}.image_url.url`);
        return this.findings.image({ kind: 'image', source, sent: part, at });
      }
      case 'file':
        note(more, beyond(part, FILE_PART, at, this.findings));
        return this.file(part['file'], at, more);
      default:
        return unsupported('a part', type, at);
    }
  }

  private file(value: unknown, at: Path, more: unknown[]): MediaPart {
    const file = fieldsAt(value, `${at}.file`);
    refuseBeyond(file, FILE, `${at}.file`);
    note(more, file['filename']);
    const source = file['file_data'];
    if (typeof source !== 'string' || !source.startsWith('data:'))
      refuse(`${at}.file needs its bytes in file_data: nothing is stored here.`, `${at}.file`);
    return this.findings.document({ kind: 'document', source: source as string, sent: file, at });
  }

  private call(value: unknown, at: Path, more: unknown[]): Part {
    const call = fieldsAt(value, at);
    const { id, type = 'function', custom, extra_content: extra } = call;
    if (type !== 'function' && type !== 'custom') unsupported('a tool call', type, at);
    const isCustom = type === 'custom';
    const called = fieldsAt(
      isCustom ? custom : call['function'],
      `${at}.${isCustom ? 'custom' : 'function'}`,
    );
    refuseBeside(call, [isCustom ? 'function' : 'custom'], at);
    note(more, beyond(call, CALL, at, this.findings), beyond(called, CALLED, at, this.findings));
    if (isFields(extra)) {
      const { google } = extra;
      note(more, beyond(extra, EXTRA, `${at}.extra_content`, this.findings));
      if (isFields(google)) note(more, beyond(google, GOOGLE, `${at}.extra_content.google`, this.findings));
    }
    const name = wordAt(called['name'], `${at}.function.name`);
    const key = id === undefined ? '' : wordAt(id, `${at}.id`);
    this.toolNames.set(key, name);
    const given = isCustom ? called['input'] : called['arguments'];
    const input = optionalTextAt(given, `${at}.function.arguments`) ?? '';
    return withoutAbsent({
      kind: 'call' as const,
      id: key,
      name,
      input: isCustom ? { input } : input,
      signature: signatureIn(extra),
      at,
    }) as Part;
  }
}

/** Google's own convention for its signatures in this interface. */
const signatureIn = (extra: unknown): string | undefined => {
  const { google } = (extra ?? {}) as { readonly google?: { readonly thought_signature?: unknown } };
  return typeof google?.thought_signature === 'string' ? google.thought_signature : undefined;
};

const toolOf = (value: unknown, at: Path, findings: Findings): Tool => {
  const tool = fieldsAt(value, at);
  const { type } = tool;
  if (type !== 'custom' && type !== 'function') unsupported('a tool', type, at);
  refuseBeside(tool, [type === 'custom' ? 'function' : 'custom'], at);
  const of = fieldsAt(tool[type as string], `${at}.${type as string}`);
  const { name, description, parameters, strict } = of;
  const rest: unknown[] = [];
  note(rest, beyond(tool, TOOL, at, findings));
  note(rest, beyond(of, type === 'custom' ? CUSTOM : FUNCTION, `${at}.${type as string}`, findings));
  const more = rest.length === 0 ? undefined : rest;
  if (type === 'custom') {
    return withoutAbsent({
      kind: 'custom' as const,
      name: wordAt(name, `${at}.custom.name`),
      description: optionalTextAt(description, `${at}.custom.description`),
      more,
      at,
    });
  }
  return withoutAbsent({
    kind: 'function' as const,
    name: wordAt(name, `${at}.function.name`),
    description: optionalTextAt(description, `${at}.function.description`),
    parameters: optionalFieldsAt(parameters, `${at}.function.parameters`),
    strict: typeof strict === 'boolean' ? strict : undefined,
    more,
    at,
  });
};

const choiceOf = (choice: unknown): AnswerOptions['choice'] => {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice;
  if (typeof choice === 'string')
    return refuse('tool_choice must be none, auto, required or a tool.', 'tool_choice');
  const { type = 'function', ...chosen } = fieldsAt(choice, 'tool_choice');
  if (type !== 'function' && type !== 'custom') unsupported('a choice', type, 'tool_choice');
  const named = fieldsAt(chosen[type as string], `tool_choice.${type as string}`);
  return { name: wordAt(named['name'], 'tool_choice.function.name') };
};

const formatOf = (value: unknown): AnswerOptions['format'] => {
  const { type, json_schema: named } = optionalFieldsAt(value, 'response_format') ?? { type: 'text' };
  if (type === 'text') return undefined;
  if (type === 'json_object') return 'json';
  if (type !== 'json_schema') return unsupported('a format', type, 'response_format');
  const { schema, name, strict, description } = fieldsAt(named, 'response_format.json_schema');
  return withoutAbsent({
    schema: fieldsAt(schema ?? {}, 'response_format.json_schema.schema'),
    name: optionalTextAt(name, 'response_format.json_schema.name') ?? 'answer',
    description: optionalTextAt(description, 'response_format.json_schema.description'),
    strict: typeof strict === 'boolean' ? strict : undefined,
  });
};

/** Reads a body of OpenAI's chat completions. */
export const readCompletion = (body: object): Conversation => {
  const fields = body as Readonly<Record<string, unknown>>;
  const reader = new CompletionsReader();
  const { findings } = reader;
  const turns = eachAt(fields['messages'], 'messages', (value, at) => reader.turn(value, at));
  for (const name of ['verbosity', 'prompt_cache_key']) findings.ownIfPresent(fields, name, '');
  const choice = choiceOf(fields['tool_choice']);
  const parallel = fields['parallel_tool_calls'];
  return {
    api: 'completions',
    model: optionalTextAt(fields['model'], 'model')!,
    turns,
    tools: eachAt(fields['tools'], 'tools', (value, at) => toolOf(value, at, findings)),
    options: withoutAbsent({
      maxTokens: limitAt(fields['max_completion_tokens'] ?? fields['max_tokens'], 'max_tokens'),
      temperature: optionalNumberAt(fields['temperature'], 'temperature'),
      topP: optionalNumberAt(fields['top_p'], 'top_p'),
      seed: optionalNumberAt(fields['seed'], 'seed'),
      frequencyPenalty: optionalNumberAt(fields['frequency_penalty'], 'frequency_penalty'),
      presencePenalty: optionalNumberAt(fields['presence_penalty'], 'presence_penalty'),
      stop: stopsAt(fields['stop'], 'stop'),
      effort: effortAt(fields['reasoning_effort'], 'reasoning_effort'),
      choice,
      parallel: typeof parallel === 'boolean' ? parallel : undefined,
      format: formatOf(fields['response_format']),
    }) as AnswerOptions,
    sent: allowed(fields, PASSED, OURS, findings),
    ...findings.all,
  };
};
