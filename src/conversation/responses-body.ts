import { withoutAbsent } from '../kernel/present';
import type {
  Conversation,
  Fields,
  MediaPart,
  Part,
  Path,
  TextPart,
  Tool,
  Turn,
  Wishes,
} from './conversation';
import {
  Findings,
  allowed,
  eachAt,
  effortAt,
  fieldsAt,
  limitAt,
  optionalFieldsAt,
  optionalNumberAt,
  optionalTextAt,
  refuse,
  textAt,
  unsupported,
  wordAt,
  isFields,
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
  'payer',
  'quoteId',
  'maxPriceMicro',
  'dryRun',
  'tag',
  'model',
  'max_output_tokens',
  'stream',
  'store',
  'background',
]);

/** The names of tools must differ, and vendors allow few characters in them. */
const joined = (namespace: string, name: string): string =>
  namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`;

/** Reads the items of `/v1/responses`. Calls and the text before them become one turn. */
class ResponsesReader {
  readonly findings = new Findings();
  readonly turns: Turn[] = [];
  readonly tools: Tool[] = [];
  private readonly toolNames = new Map<string, string>();

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
      case 'custom_tool_call_output':
        this.result(item, this.parts(item['output'], `${at}.output`), at);
        break;
      case 'tool_search_output':
        this.result(item, [{ kind: 'text', text: JSON.stringify(item['tools'] ?? []), at }], at);
        for (const [index, tool] of (Array.isArray(item['tools']) ? item['tools'] : []).entries())
          this.tool(tool, `${at}.tools[${index}]`);
        break;
      case 'reasoning':
      case 'compaction':
      case 'web_search_call':
        this.findings.own(at);
        this.add('assistant', { kind: 'reasoning', text: summaryIn(item), isSigned: true, at }, at);
        break;
      default:
        unsupported('an item', type, at);
    }
  }

  private message(item: Fields, at: Path): void {
    const { role = 'user', content } = item;
    if (role !== 'user' && role !== 'assistant' && role !== 'system' && role !== 'developer')
      return refuse(`${at}.role must be one of user, assistant, system, developer.`, `${at}.role`);
    this.turns.push({
      role: role === 'developer' ? 'system' : role,
      parts: this.parts(content, `${at}.content`),
      at,
    });
  }

  /** A call continues the turn of the model before it. */
  private add(role: 'user' | 'assistant', part: Part, at: Path): void {
    const last = this.turns.at(-1);
    if (role === 'assistant' && last?.role === role)
      this.turns[this.turns.length - 1] = { ...last, parts: [...last.parts, part] };
    else this.turns.push({ role, parts: [part], at });
  }

  private call(item: Fields, input: unknown, at: Path): void {
    const id = wordAt(item['call_id'] ?? '', `${at}.call_id`);
    const own = wordAt(item['name'], `${at}.name`);
    const namespace = optionalTextAt(item['namespace'], `${at}.namespace`);
    const name = namespace === undefined ? own : joined(namespace, own);
    this.toolNames.set(id, name);
    this.add('assistant', { kind: 'call', id, name, input, at }, at);
  }

  private result(item: Fields, parts: readonly (TextPart | MediaPart)[], at: Path): void {
    const of = wordAt(item['call_id'] ?? '', `${at}.call_id`);
    const name = this.toolNames.get(of) ?? '';
    this.turns.push({ role: 'user', parts: [{ kind: 'result', of, name, parts, isError: false, at }], at });
  }

  private parts(content: unknown, at: Path): readonly (TextPart | MediaPart)[] {
    if (typeof content === 'string') return [{ kind: 'text', text: content, at }];
    return eachAt(content, at, (value, place): TextPart | MediaPart => {
      const part = fieldsAt(value, place);
      switch (part['type']) {
        case 'input_text':
        case 'output_text':
        case 'text':
        case 'summary_text':
          return { kind: 'text', text: textAt(part['text'], `${place}.text`), at: place };
        case 'refusal':
          return { kind: 'text', text: textAt(part['refusal'], `${place}.refusal`), at: place };
        case 'input_image': {
          const source = textAt(part['image_url'], `${place}.image_url`);
          return this.findings.image({ kind: 'image', source, sent: part, at: place });
        }
        case 'input_file': {
          const source = part['file_data'];
          if (typeof source !== 'string')
            return refuse(`${place} needs its bytes in file_data: nothing is stored here.`, place);
          return this.findings.document({ kind: 'document', source, sent: part, at: place });
        }
        default:
          return unsupported('a part', part['type'], place);
      }
    });
  }

  tool(value: unknown, at: Path, namespace?: string): void {
    const tool = fieldsAt(value, at);
    const { type, name, description, parameters, strict, format } = tool;
    switch (type) {
      case 'namespace': {
        const within = wordAt(name, `${at}.name`);
        eachAt(tool['tools'], `${at}.tools`, (each, place) => this.tool(each, place, within));
        return;
      }
      case 'web_search':
      case 'web_search_preview':
        // Codex offers it in each call. It runs at its maker, which no price here covers.
        this.findings.ignore(at);
        return;
      case 'tool_search':
        this.findings.own(at);
        if (tool['execution'] !== 'client') return;
        break;
      case 'function':
      case 'custom':
        break;
      default:
        unsupported('a tool', type, at);
    }
    if (format !== undefined && type === 'custom') this.findings.own(`${at}.format`);
    this.findings.ownIfPresent(tool, 'defer_loading', at);
    const own = type === 'tool_search' ? 'tool_search' : wordAt(name, `${at}.name`);
    this.tools.push(
      withoutAbsent({
        kind: type === 'custom' ? ('custom' as const) : ('function' as const),
        name: namespace === undefined ? own : joined(namespace, own),
        within: namespace === undefined ? undefined : { namespace, name: own },
        description: optionalTextAt(description, `${at}.description`),
        parameters: optionalFieldsAt(parameters, `${at}.parameters`),
        strict: typeof strict === 'boolean' ? strict : undefined,
        more: format,
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

const choiceOf = (choice: unknown): Wishes['choice'] => {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice;
  if (typeof choice === 'string')
    return refuse('tool_choice must be none, auto, required or a tool.', 'tool_choice');
  const { type, name } = fieldsAt(choice, 'tool_choice');
  if (type !== 'function' && type !== 'custom') return unsupported('a choice', type, 'tool_choice');
  return { name: wordAt(name, 'tool_choice.name') };
};

const formatOf = (value: unknown): Wishes['format'] => {
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
    turns.push({ role: 'system', parts: [{ kind: 'text', text: instructions, at }], at });
  }
  const { input } = fields;
  if (typeof input === 'string')
    turns.push({ role: 'user', parts: [{ kind: 'text', text: input, at: 'input' }], at: 'input' });
  else eachAt(input, 'input', (value, at) => reader.item(value, at));
  eachAt(fields['tools'], 'tools', (value, at) => reader.tool(value, at));
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
    wishes: withoutAbsent({
      maxTokens: limitAt(fields['max_output_tokens'], 'max_output_tokens'),
      temperature: optionalNumberAt(fields['temperature'], 'temperature'),
      topP: optionalNumberAt(fields['top_p'], 'top_p'),
      stop: [],
      effort: effortAt(reasoning['effort'], 'reasoning.effort'),
      choice: choiceOf(fields['tool_choice']),
      parallel: typeof parallel === 'boolean' ? parallel : undefined,
      format: formatOf(text?.['format']),
    }) as Wishes,
    sent: allowed(fields, PASSED, OURS, findings),
    ...findings.all,
  };
};

/** A tool that a search found may also be among the tools of the call. */
const onlyNewest = (tools: readonly Tool[]): readonly Tool[] => [
  ...new Map(tools.map((tool) => [tool.name, tool])).values(),
];
