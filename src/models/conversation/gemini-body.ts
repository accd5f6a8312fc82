import { isDeepStrictEqual } from 'node:util';

import type { Fields } from '#kernel/json';
import { withoutAbsent } from '#kernel/present';
import { getOrMake } from '#kernel/maps';
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
  named,
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
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
]);
const OURS: ReadonlySet<string> = new Set([...PAID_FIELDS, 'cachedContent']);

const CONFIG: ReadonlySet<string> = new Set([
  'temperature',
  'topP',
  'topK',
  'seed',
  'frequencyPenalty',
  'presencePenalty',
  'stopSequences',
  'candidateCount',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
]);

/** The fields of a part that say its kind. A part has one of them. */
const KINDS = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'] as const;

/** Google ignores no field, and knows each one also with underscores. So a part has only fields that are read here. */
const PART: ReadonlySet<string> = new Set([...KINDS, 'thought', 'thoughtSignature', 'mediaResolution']);
const MEDIUM = new Set(['inlineData', 'fileData']);
const INLINE = new Set(['mimeType', 'data']);
const FILE = new Set(['mimeType', 'fileUri', 'displayName']);
/** Its other field is a number of tokens for each image. */
const RESOLUTION = new Set(['level']);
const CALL = new Set(['id', 'name', 'args']);
const RESULT = new Set(['id', 'name', 'response', 'parts', 'willContinue', 'scheduling']);
const TURN = new Set(['role', 'parts']);
const SYSTEM_PART = new Set(['text']);
const DECLARATION = new Set(['name', 'description', 'parameters', 'parametersJsonSchema']);

/** Tools that Google runs. They are ignored, because agents offer them in each call. */
const RUN_BY_GOOGLE: ReadonlySet<string> = new Set(['googleSearch', 'googleSearchRetrieval', 'urlContext']);

/** Google's schemas have type names in upper case; JSON Schema has them in lower case. */
const asJsonSchema = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(asJsonSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]: [string, unknown]) => [
      name,
      name === 'type' && typeof value === 'string' ? value.toLowerCase() : asJsonSchema(value),
    ]),
  );
};

const schemaAt = (value: unknown, at: Path): object | undefined => {
  const schema = optionalFieldsAt(value, at);
  return schema && (asJsonSchema(schema) as object);
};

interface OpenCall {
  readonly id: string;
  isOpen: boolean;
  result?: Fields;
}

/** Calls in their order. All calls before `next` are taken. */
interface Waiting {
  readonly calls: OpenCall[];
  next: number;
}

/**
 * Finds the function call that a result answers. A result without an id answers the first open call of its function.
 * No search looks at a taken call twice, because a body may have tens of thousands of calls.
 */
class OpenCalls {
  private readonly byId = new Map<string, Waiting>();
  private readonly byName = new Map<string, Waiting>();
  private named = 0;

  /** Adds a call. If the call has no id, it gets an id that is unique among the generated ids. */
  add(name: string, own: string | undefined): string {
    const call: OpenCall = { id: own ?? `call_${(this.named += 1)}_${name}`, isOpen: true };
    waitingIn(this.byId, call.id).calls.push(call);
    waitingIn(this.byName, name).calls.push(call);
    return call.id;
  }

  /** The id of the call that a result answers; undefined if the same result came before. */
  take(name: string, id: string | undefined, result: Fields, at: Path): string | undefined {
    const waiting = id === undefined ? waitingIn(this.byName, name) : waitingIn(this.byId, id);
    while (waiting.calls[waiting.next]?.isOpen === false) waiting.next += 1;
    const call = waiting.calls[waiting.next];
    if (call !== undefined) {
      call.isOpen = false;
      call.result = result;
      return call.id;
    }
    // Gemini CLI sends a result twice when it goes on with a session that was killed. The second one goes to Google as it
    // was sent, so it has no media: Google must get only our copies of them.
    const isText = result['parts'] === undefined;
    if (id !== undefined && isText && isDeepStrictEqual(waiting.calls.at(-1)?.result, result))
      return undefined;
    return refuse('This result belongs to no functionCall before it.', at);
  }
}

const waitingIn = (all: Map<string, Waiting>, key: string): Waiting =>
  getOrMake(all, key, () => ({ calls: [], next: 0 }));

/** Reads a body of `generateContent`. */
class GeminiReader {
  readonly findings = new Findings();
  private readonly calls = new OpenCalls();

  turn(value: unknown, at: Path): Turn {
    const content = fieldsAt(value, at);
    const { role = 'user', parts } = content;
    refuseBeyond(content, TURN, at);
    if (role !== 'user' && role !== 'model' && role !== 'function')
      return refuse(`${at}.role must be one of user, model, function.`, `${at}.role`);
    return {
      role: role === 'model' ? 'assistant' : 'user',
      parts: eachAt(parts, `${at}.parts`, (part, path) => this.part(part, path)).flat(),
      at,
    };
  }

  private part(value: unknown, at: Path): readonly Part[] {
    const part = fieldsAt(value, at);
    const { text, thought, thoughtSignature: signature, functionCall, functionResponse } = part;
    refuseBeyond(part, PART, at);
    const resolution = optionalFieldsAt(part['mediaResolution'], `${at}.mediaResolution`) ?? {};
    refuseBeyond(resolution, RESOLUTION, `${at}.mediaResolution`);
    const kind = KINDS.find((name) => part[name] !== undefined);
    refuseBeside(
      part,
      KINDS.filter((name) => name !== kind),
      at,
    );
    if (signature !== undefined) this.findings.own(`${at}.thoughtSignature`);
    if (functionCall !== undefined) {
      const call = fieldsAt(functionCall, `${at}.functionCall`);
      refuseBeyond(call, CALL, `${at}.functionCall`);
      const name = wordAt(call['name'], `${at}.functionCall.name`);
      const id = this.calls.add(name, optionalTextAt(call['id'], `${at}.functionCall.id`));
      const input = fieldsAt(call['args'] ?? {}, `${at}.functionCall.args`);
      return [{ kind: 'call', id, name, input, at, ...(typeof signature === 'string' ? { signature } : {}) }];
    }
    if (functionResponse !== undefined) return this.result(functionResponse, `${at}.functionResponse`, at);
    if (thought === true && (kind === undefined || kind === 'text')) {
      this.findings.own(at);
      return [{ kind: 'reasoning', text: optionalTextAt(text, `${at}.text`) ?? '', isSigned: true, at }];
    }
    if (text !== undefined) return [{ kind: 'text', text: textAt(text, `${at}.text`), at }];
    const medium = this.medium(part, at);
    if (medium !== undefined) return [medium];
    if (signature !== undefined) return [];
    return refuse(`${at}: a part "${Object.keys(part)[0]?.slice(0, 60) ?? ''}" is not supported here.`, at);
  }

  private result(value: unknown, at: Path, part: Path): readonly Part[] {
    const result = fieldsAt(value, at);
    refuseBeyond(result, RESULT, at);
    const name = wordAt(result['name'], `${at}.name`);
    const of = this.calls.take(name, optionalTextAt(result['id'], `${at}.id`), result, at);
    if (of === undefined) {
      this.findings.own(part);
      return [];
    }
    const text: TextPart = {
      kind: 'text',
      text: JSON.stringify(fieldsAt(result['response'], `${at}.response`)),
      at: `${at}.response`,
    };
    const media = eachAt(result['parts'], `${at}.parts`, (each, path) => {
      const medium = fieldsAt(each, path);
      refuseBeyond(medium, MEDIUM, path);
      return this.medium(medium, path) ?? unsupported('a part', 'unknown', path);
    });
    return [{ kind: 'result', of, name, parts: [text, ...media], isError: false, at: part }];
  }

  private medium(part: Fields, at: Path): MediaPart | undefined {
    const { inlineData, fileData } = part;
    if (inlineData !== undefined) {
      const path = `${at}.inlineData`;
      const given = fieldsAt(inlineData, path);
      refuseBeyond(given, INLINE, path);
      const { mimeType: mime, data } = given;
      const source = `data:${textAt(mime, `${path}.mimeType`)};base64,${textAt(data, `${path}.data`)}`;
      if (/^image\/[a-z0-9.+-]{1,40}$/.test(mime as string))
        return this.findings.image({ kind: 'image', source, sent: part, at });
      if (mime === 'application/pdf')
        return this.findings.document({ kind: 'document', source, sent: part, at });
      return refuse(
        `${path}: data of type ${JSON.stringify((mime as string).slice(0, 60))} is not supported here.`,
        path,
      );
    }
    if (fileData === undefined) return undefined;
    const file = fieldsAt(fileData, `${at}.fileData`);
    refuseBeyond(file, FILE, `${at}.fileData`);
    const source = textAt(file['fileUri'], `${at}.fileData.fileUri`);
    return this.findings.image({ kind: 'image', source, sent: part, at });
  }

  /** The tools of a call, and the caller's list without the tools that Google runs. */
  tools(value: unknown): { readonly tools: readonly Tool[]; readonly sent: readonly unknown[] } {
    const tools: Tool[] = [];
    const sent: unknown[] = [];
    eachAt(value, 'tools', (each, at) => {
      const { functionDeclarations: declared, ...others } = fieldsAt(each, at);
      for (const name of Object.keys(others)) {
        if (!RUN_BY_GOOGLE.has(name))
          refuse(
            `${at}: the tool "${name.slice(0, 60)}" is not supported here. Send functions of your own.`,
            at,
          );
        this.findings.ignore(`${at}.${name}`);
      }
      if (declared === undefined) return;
      sent.push({ functionDeclarations: declared });
      for (const tool of eachAt(declared, `${at}.functionDeclarations`, (one, path) =>
        toolOf(one, path, this.findings),
      ))
        tools.push(tool);
    });
    return { tools, sent };
  }
}

const toolOf = (value: unknown, at: Path, findings: Findings): Tool => {
  const tool = fieldsAt(value, at);
  const { name, description, parameters, parametersJsonSchema: schema } = tool;
  const isJson = schema !== undefined && schema !== null;
  if (isJson) refuseBeside(tool, ['parameters'], at);
  return withoutAbsent({
    kind: 'function' as const,
    name: wordAt(name, `${at}.name`),
    description: optionalTextAt(description, `${at}.description`),
    parameters:
      optionalFieldsAt(schema, `${at}.parametersJsonSchema`) ?? schemaAt(parameters, `${at}.parameters`),
    more: beyond(tool, DECLARATION, at, findings),
    at,
  });
};

const choiceOf = (value: unknown): Pick<AnswerOptions, 'choice' | 'allowed'> => {
  const { functionCallingConfig } = optionalFieldsAt(value, 'toolConfig') ?? {};
  const at = 'toolConfig.functionCallingConfig';
  const { mode = 'AUTO', allowedFunctionNames } = optionalFieldsAt(functionCallingConfig, at) ?? {};
  const names = eachAt(allowedFunctionNames, `${at}.allowedFunctionNames`, wordAt);
  const some = names.length > 0 ? { allowed: names } : {};
  if (mode === 'NONE') return { choice: 'none' };
  if (mode === 'ANY')
    return names.length === 1 ? { choice: { name: names[0]! } } : { choice: 'required', ...some };
  if (mode === 'VALIDATED') return { choice: 'auto', ...some };
  if (mode === 'AUTO' || mode === 'MODE_UNSPECIFIED') return { choice: 'auto' };
  return refuse(`${at}.mode must be one of AUTO, ANY, NONE, VALIDATED.`, `${at}.mode`);
};

const effortOf = (thinking: Fields): AnswerOptions['effort'] => {
  const level = effortAt(thinking['thinkingLevel'], 'generationConfig.thinkingConfig.thinkingLevel');
  if (level !== undefined) return level;
  const budget = optionalNumberAt(
    thinking['thinkingBudget'],
    'generationConfig.thinkingConfig.thinkingBudget',
  );
  return budget === undefined || budget <= 0 ? undefined : effortOfBudget(budget);
};

const formatOf = (config: Fields): AnswerOptions['format'] => {
  const at = 'generationConfig';
  if (config['responseJsonSchema']) refuseBeside(config, ['responseSchema'], at);
  const schema =
    schemaAt(config['responseJsonSchema'], `${at}.responseJsonSchema`) ??
    schemaAt(config['responseSchema'], `${at}.responseSchema`);
  if (schema !== undefined) return { schema, name: 'answer', strict: true };
  return config['responseMimeType'] === 'application/json' ? 'json' : undefined;
};

/** Whether the caller asked for the model's thoughts. */
export const wantsThoughts = (config: unknown): boolean =>
  (config as { readonly thinkingConfig?: { readonly includeThoughts?: unknown } } | undefined)?.thinkingConfig
    ?.includeThoughts === true;

/** Reads a body of Google's generateContent. The model is in the path of the call. */
export const readContent = (body: object, model: string | undefined): Conversation => {
  const fields = body as Fields;
  const reader = new GeminiReader();
  const { findings } = reader;
  if (fields['cachedContent'] !== undefined)
    refuse('Nothing is stored: send the content itself.', 'cachedContent');
  const config = optionalFieldsAt(fields['generationConfig'], 'generationConfig') ?? {};
  if (config['candidateCount'] !== undefined && config['candidateCount'] !== 1)
    refuse('Only one candidate is made.', 'generationConfig.candidateCount');
  const passed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(config)) {
    if (CONFIG.has(name)) passed[name] = value;
    else if (name !== 'maxOutputTokens') findings.ignore(`generationConfig.${named(name)}`);
  }
  findings.ownIfPresent(config, 'topK', 'generationConfig');
  const { tools, sent: sentTools } = reader.tools(fields['tools']);
  const instruction = optionalFieldsAt(fields['systemInstruction'], 'systemInstruction') ?? {};
  const at = 'systemInstruction';
  refuseBeyond(instruction, TURN, at);
  const system = eachAt(instruction['parts'], `${at}.parts`, (value, path): Part => {
    const part = fieldsAt(value, path);
    refuseBeyond(part, SYSTEM_PART, path);
    return { kind: 'text', text: textAt(part['text'], `${path}.text`), at: path };
  });
  const turns = eachAt(fields['contents'], 'contents', (value, path) => reader.turn(value, path));
  return {
    api: 'gemini',
    model: model!,
    turns: system.length === 0 ? turns : [{ role: 'system', parts: system, at }, ...turns],
    tools,
    options: withoutAbsent({
      maxTokens: limitAt(config['maxOutputTokens'], 'generationConfig.maxOutputTokens'),
      temperature: optionalNumberAt(config['temperature'], 'generationConfig.temperature'),
      topP: optionalNumberAt(config['topP'], 'generationConfig.topP'),
      topK: optionalNumberAt(config['topK'], 'generationConfig.topK'),
      seed: optionalNumberAt(config['seed'], 'generationConfig.seed'),
      frequencyPenalty: optionalNumberAt(config['frequencyPenalty'], 'generationConfig.frequencyPenalty'),
      presencePenalty: optionalNumberAt(config['presencePenalty'], 'generationConfig.presencePenalty'),
      stop: stopsAt(config['stopSequences'], 'generationConfig.stopSequences'),
      effort: effortOf(optionalFieldsAt(config['thinkingConfig'], 'generationConfig.thinkingConfig') ?? {}),
      ...(tools.length === 0 ? {} : choiceOf(fields['toolConfig'])),
      format: formatOf(config),
    }) as AnswerOptions,
    sent: {
      ...allowed(fields, PASSED, OURS, findings),
      generationConfig: passed,
      tools: sentTools.length === 0 ? undefined : sentTools,
      ...(sentTools.length === 0 ? { toolConfig: undefined } : {}),
    },
    ...findings.all,
  };
};
