import { type Fields, isFields } from '#kernel/json';
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
import { effortAt } from './effort';
import {
  Findings,
  PAID_FIELDS,
  allowed,
  beyond,
  eachAt,
  fieldsAt,
  limitAt,
  optionalFieldsAt,
  optionalNumberAt,
  optionalTextAt,
  refuse,
  refuseBeside,
  textAt,
  unsupported,
  wordAt,
} from './reading';

const PASSED: ReadonlySet<string> = new Set([
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
]);
const OURS: ReadonlySet<string> = new Set([
  ...PAID_FIELDS,
  'max_output_tokens',
  'stream',
  'store',
  'background',
]);

/** The fields that each kind of item defines. All other fields are screened as they are. */
const ITEMS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['message', new Set(['type', 'id', 'status', 'role', 'content'])],
  ['function_call', new Set(['type', 'id', 'status', 'call_id', 'name', 'namespace', 'arguments'])],
  ['custom_tool_call', new Set(['type', 'id', 'status', 'call_id', 'name', 'namespace', 'input'])],
  ['tool_search_call', new Set(['type', 'id', 'status', 'call_id', 'arguments'])],
  ['function_call_output', new Set(['type', 'id', 'status', 'call_id', 'output'])],
  ['custom_tool_call_output', new Set(['type', 'id', 'status', 'call_id', 'output'])],
  ['tool_search_output', new Set(['type', 'id', 'status', 'call_id', 'tools'])],
  ['reasoning', new Set(['type', 'id', 'status', 'summary', 'encrypted_content'])],
  ['compaction', new Set(['type', 'id', 'encrypted_content'])],
  ['web_search_call', new Set(['type', 'id', 'status'])],
]);
const WORDS = new Set(['type', 'text']);
const REFUSAL = new Set(['type', 'refusal']);
const IMAGE = new Set(['type', 'image_url']);
const FILE = new Set(['type', 'file_data']);
const TOOL = new Set(['type', 'name', 'description', 'parameters', 'strict', 'defer_loading']);
const NAMESPACE = new Set(['type', 'name', 'tools']);
const NONE: ReadonlySet<string> = new Set();

/** The fields that name a source of content. A part has one of them, and only bytes and images that we copy. */
const SOURCES = ['image_url', 'file_data', 'file_url', 'file_id', 'input_audio'] as const;

/** The names of tools must differ, and vendors allow few characters in them. */
const joined = (namespace: string, name: string): string =>
  namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`;

/** A turn that later items may continue. */
interface OpenTurn extends Turn {
  readonly parts: Part[];
  readonly more: unknown[];
}

/** Reads the items of `/v1/responses`. Calls and the text before them become one turn. */
class ResponsesReader {
  readonly findings = new Findings();
  readonly turns: OpenTurn[] = [];
  readonly tools: Tool[] = [];
  private readonly toolNames = new Map<string, string>();

  addTurn(role: Turn['role'], parts: Part[], at: Path, more: unknown[] = []): void {
    this.turns.push({ role, parts, at, more });
  }

  item(value: unknown, at: Path): void {
    const item = fieldsAt(value, at);
    const { type = 'message' } = item;
    switch (type) {
      case 'message':
        this.message(item, at);
        break;
      case 'function_call':
        this.call(item, textAt(item['arguments'], `${at}.arguments`), at);
        break;
      case 'custom_tool_call':
        this.call(item, { input: textAt(item['input'], `${at}.input`) }, at);
        break;
      case 'tool_search_call':
        this.call({ name: 'tool_search', ...item }, JSON.stringify(item['arguments'] ?? {}), at);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output': {
        const more: unknown[] = [];
        this.result(item, this.parts(item['output'], `${at}.output`, more), at, more);
        break;
      }
      case 'tool_search_output':
        this.result(item, [{ kind: 'text', text: JSON.stringify(item['tools'] ?? []), at }], at);
        for (const [index, tool] of (Array.isArray(item['tools']) ? item['tools'] : []).entries())
          this.ownTool(tool, `${at}.tools[${index}]`);
        break;
      case 'reasoning':
      case 'compaction':
      case 'compaction_trigger':
      case 'web_search_call':
        this.findings.own(at);
        this.add({ kind: 'reasoning', text: summaryIn(item), isSigned: true, at }, at);
        break;
      default:
        unsupported('an item', type, at);
    }
    const rest = beyond(item, ITEMS.get(type) ?? NONE, at, this.findings);
    if (rest !== undefined) this.turns.at(-1)?.more.push(rest);
  }

  private message(item: Fields, at: Path): void {
    const { role = 'user', content } = item;
    if (role !== 'user' && role !== 'assistant' && role !== 'system' && role !== 'developer')
      return refuse(`${at}.role must be one of user, assistant, system, developer.`, `${at}.role`);
    const more: unknown[] = [];
    const parts = this.parts(content, `${at}.content`, more);
    this.addTurn(role === 'developer' ? 'system' : role, parts, at, more);
  }

  /** A call continues the turn of the model before it. */
  private add(part: Part, at: Path): void {
    const last = this.turns.at(-1);
    if (last?.role === 'assistant') last.parts.push(part);
    else this.addTurn('assistant', [part], at);
  }

  private call(item: Fields, input: unknown, at: Path): void {
    const id = wordAt(item['call_id'] ?? '', `${at}.call_id`);
    const own = wordAt(item['name'], `${at}.name`);
    const namespace = optionalTextAt(item['namespace'], `${at}.namespace`);
    const name = namespace === undefined ? own : joined(namespace, own);
    this.toolNames.set(id, name);
    this.add({ kind: 'call', id, name, input, at }, at);
  }

  private result(
    item: Fields,
    parts: readonly (TextPart | MediaPart)[],
    at: Path,
    more: unknown[] = [],
  ): void {
    const of = wordAt(item['call_id'] ?? '', `${at}.call_id`);
    const name = this.toolNames.get(of) ?? '';
    this.addTurn('user', [{ kind: 'result', of, name, parts, isError: false, at }], at, more);
  }

  private parts(content: unknown, at: Path, more: unknown[]): (TextPart | MediaPart)[] {
    if (typeof content === 'string') return [{ kind: 'text', text: content, at }];
    return eachAt(content, at, (value, path): TextPart | MediaPart => {
      const part = fieldsAt(value, path);
      const only = (known: ReadonlySet<string>): void => {
        const others = SOURCES.filter((name) => !known.has(name) && part[name] !== null);
        refuseBeside(part, others, path);
        const rest = beyond(part, known, path, this.findings);
        if (rest !== undefined) more.push(rest);
      };
      switch (part['type']) {
        case 'input_text':
        case 'output_text':
        case 'text':
        case 'summary_text':
          only(WORDS);
          return { kind: 'text', text: textAt(part['text'], `${path}.text`), at: path };
        case 'refusal':
          only(REFUSAL);
          return { kind: 'text', text: textAt(part['refusal'], `${path}.refusal`), at: path };
        case 'input_image': {
          only(IMAGE);
          const source = textAt(part['image_url'], `${path}.image_url`);
          return this.findings.image({ kind: 'image', source, sent: part, at: path });
        }
        case 'input_file': {
          only(FILE);
          const source = part['file_data'];
          if (typeof source !== 'string' || !source.startsWith('data:'))
            return refuse(`${path} needs its bytes in file_data: nothing is stored here.`, path);
          return this.findings.document({ kind: 'document', source, sent: part, at: path });
        }
        default:
          return unsupported('a part', part['type'], path);
      }
    });
  }

  /** Reads a tool of the body. False if no vendor gets it. */
  tool(value: unknown, at: Path): boolean {
    const tool = fieldsAt(value, at);
    switch (tool['type']) {
      case 'web_search':
      case 'web_search_preview':
        // Codex offers it in each call. It runs at its maker, which no price here covers.
        this.findings.ignore(at);
        return false;
      case 'tool_search':
        this.findings.own(at);
        if (tool['execution'] === 'client') this.take({ ...tool, name: 'tool_search' }, at);
        return true;
      default:
        this.ownTool(tool, at);
        return true;
    }
  }

  /** Reads a tool that the caller runs, or a namespace of them. */
  private ownTool(value: unknown, at: Path, namespace?: string): void {
    const tool = fieldsAt(value, at);
    const { type } = tool;
    if (type === 'namespace' && namespace === undefined) {
      const within = wordAt(tool['name'], `${at}.name`);
      const from = this.tools.length;
      eachAt(tool['tools'], `${at}.tools`, (each, path) => this.ownTool(each, path, within));
      const first = this.tools[from] ?? refuse(`${at} has no tools.`, at);
      this.tools[from] = { ...first, more: [first.more, beyond(tool, NAMESPACE, at, this.findings)] };
      return;
    }
    if (type !== 'function' && type !== 'custom') unsupported('a tool', type, at);
    this.take(tool, at, namespace);
  }

  private take(tool: Fields, at: Path, namespace?: string): void {
    const { type, description, parameters, strict, format } = tool;
    if (format !== undefined && type === 'custom') this.findings.own(`${at}.format`);
    this.findings.ownIfPresent(tool, 'defer_loading', at);
    const own = wordAt(tool['name'], `${at}.name`);
    this.tools.push(
      withoutAbsent({
        kind: type === 'custom' ? ('custom' as const) : ('function' as const),
        name: namespace === undefined ? own : joined(namespace, own),
        within: namespace === undefined ? undefined : { namespace, name: own },
        description: optionalTextAt(description, `${at}.description`),
        parameters: optionalFieldsAt(parameters, `${at}.parameters`),
        strict: typeof strict === 'boolean' ? strict : undefined,
        more: beyond(tool, TOOL, at, this.findings),
        at,
      }) as Tool,
    );
  }
}

const summaryIn = ({ summary }: Fields): string =>
  Array.isArray(summary)
    ? summary
        .map((each: unknown) => (isFields(each) && typeof each['text'] === 'string' ? each['text'] : ''))
        .join('\n')
    : '';

const choiceOf = (choice: unknown): AnswerOptions['choice'] => {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice;
  if (typeof choice === 'string')
    return refuse('tool_choice must be none, auto, required or a tool.', 'tool_choice');
  const { type, name } = fieldsAt(choice, 'tool_choice');
  if (type !== 'function' && type !== 'custom') return unsupported('a choice', type, 'tool_choice');
  return { name: wordAt(name, 'tool_choice.name') };
};

const formatOf = (value: unknown): AnswerOptions['format'] => {
  const { type, name, schema, strict } = optionalFieldsAt(value, 'text.format') ?? { type: 'text' };
  if (type === 'text') return undefined;
  if (type === 'json_object') return 'json';
  if (type !== 'json_schema') return unsupported('a format', type, 'text.format');
  if (schema === undefined)
    return refuse('A format of the type json_schema needs its schema.', 'text.format');
  return {
    schema: fieldsAt(schema, 'text.format.schema'),
    name: optionalTextAt(name, 'text.format.name') ?? 'answer',
    ...(typeof strict === 'boolean' ? { strict } : {}),
  };
};

const refuseUnserved = (body: Fields): void => {
  if (body['store'] === true) refuse('Nothing is stored: leave store out, or send false.', 'store');
  if (body['background'] === true) refuse('Answers do not run in the background.', 'background');
  for (const field of ['previous_response_id', 'conversation', 'prompt']) {
    if (body[field] !== undefined && body[field] !== null)
      refuse(`Nothing is stored, so ${field} names nothing: send the whole conversation as input.`, field);
  }
};

/** Reads a body of OpenAI's Responses. */
export const readResponses = (body: object): Conversation => {
  const fields = body as Fields;
  refuseUnserved(fields);
  const reader = new ResponsesReader();
  const { findings, turns } = reader;
  const instructions = optionalTextAt(fields['instructions'], 'instructions') ?? '';
  if (instructions !== '') {
    const at = 'instructions';
    reader.addTurn('system', [{ kind: 'text', text: instructions, at }], at);
  }
  const { input } = fields;
  if (typeof input === 'string')
    reader.addTurn('user', [{ kind: 'text', text: input, at: 'input' }], 'input');
  else eachAt(input, 'input', (value, at) => reader.item(value, at));
  const offered = eachAt(fields['tools'], 'tools', (value, at) =>
    reader.tool(value, at) ? [value] : [],
  ).flat();
  const sent = allowed(fields, PASSED, OURS, findings);
  const text = optionalFieldsAt(fields['text'], 'text');
  const reasoning = optionalFieldsAt(fields['reasoning'], 'reasoning') ?? {};
  for (const name of ['include', 'prompt_cache_key']) if (fields[name] !== undefined) findings.own(name);
  findings.ownIfPresent(reasoning, 'summary', 'reasoning');
  findings.ownIfPresent(text ?? {}, 'verbosity', 'text');
  const parallel = fields['parallel_tool_calls'];
  return {
    api: 'responses',
    model: optionalTextAt(fields['model'], 'model')!,
    turns,
    tools: onlyNewest(reader.tools),
    options: withoutAbsent({
      maxTokens: limitAt(fields['max_output_tokens'], 'max_output_tokens'),
      temperature: optionalNumberAt(fields['temperature'], 'temperature'),
      topP: optionalNumberAt(fields['top_p'], 'top_p'),
      stop: [],
      effort: effortAt(reasoning['effort'], 'reasoning.effort'),
      choice: choiceOf(fields['tool_choice']),
      parallel: typeof parallel === 'boolean' ? parallel : undefined,
      format: formatOf(text?.['format']),
    }) as AnswerOptions,
    sent: offered.length === 0 ? withoutAbsent({ ...sent, tools: undefined }) : { ...sent, tools: offered },
    ...findings.all,
  };
};

/** A tool that a search found may also be among the tools of the call. The words of both are screened. */
const onlyNewest = (tools: readonly Tool[]): readonly Tool[] => {
  const newest = new Map<string, Tool>();
  for (const tool of tools) {
    const older = newest.get(tool.name);
    newest.set(tool.name, older === undefined ? tool : { ...tool, more: [tool.more, older] });
  }
  return [...newest.values()];
};
