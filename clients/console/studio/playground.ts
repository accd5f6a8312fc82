import type { Values } from '../parts/call-code.ts';
import { type Message, worstCase } from './chat.ts';
import type { MediaModel } from '../models/media-options.tsx';
import type { ListedModel, TextModel } from '../models/model-facts.ts';
import { inputsOf } from './inputs.ts';

/** A route of the playground. */
export interface Route {
  readonly path: '/v1/agent/chat' | '/v1/chat/completions' | '/v1/agent/generate';
  readonly name: string;
  /** The field of the body that names the model. */
  readonly modelField: 'model' | 'modelId';
  /** Whether the quoted price is the cost of the call; otherwise it is a limit. */
  readonly isExact: boolean;
}

const CHAT: Route = { path: '/v1/agent/chat', name: 'Fixed price', modelField: 'model', isExact: true };
const COMPLETIONS: Route = {
  path: '/v1/chat/completions',
  name: 'By the tokens used',
  modelField: 'model',
  isExact: false,
};
const GENERATE: Route = {
  path: '/v1/agent/generate',
  name: 'Generate',
  modelField: 'modelId',
  isExact: true,
};

export const TEXT_ROUTES: readonly Route[] = [CHAT, COMPLETIONS];

export const routeFor = (model: ListedModel, wanted: string): Route =>
  model.media === undefined ? (TEXT_ROUTES.find(({ path }) => path === wanted) ?? CHAT) : GENERATE;

export const toolOf = (model: ListedModel, route: Route): string | undefined => {
  if (route === COMPLETIONS) return undefined;
  return model.kind === 'text' ? 'chat' : `generate_${model.kind}`;
};

/** A schema of the body, in the form of `playground/parameters.json`. */
interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
}

export type Parameters = Readonly<
  Record<string, { readonly properties?: Readonly<Record<string, FieldSchema>> }>
>;

/** A parameter that has a control in the form. */
export interface Parameter {
  readonly name: string;
  readonly about: string | undefined;
  readonly kind: 'choice' | 'number' | 'flag' | 'text' | 'medium';
  readonly choices?: readonly (string | number)[];
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly isWhole?: boolean;
  /** Whether the form shows the parameter at first, because the model supports it. */
  readonly isUsual: boolean;
}

/** Parameters that other controls of the form set. The page adds the quote itself. */
const ELSEWHERE: ReadonlySet<string> = new Set(['model', 'modelId', 'messages', 'prompt', 'quoteId']);
const USUAL: ReadonlySet<string> = new Set(['max_tokens', 'temperature', 'reasoning_effort']);
/** The lists in the catalog with the values that a model accepts. */
const LISTS = {
  aspectRatio: 'aspectRatios',
  resolution: 'resolutions',
  imageSize: 'imageSizes',
  quality: 'qualities',
  duration: 'durations',
} as const satisfies Readonly<Record<string, keyof MediaModel>>;
const MEDIA: ReadonlySet<string> = new Set(['image', 'image2', 'video']);
/** Parameters that only some models support, as `capabilities` in the catalog shows. */
const CAPABILITIES: ReadonlySet<string> = new Set([
  'seed',
  'negativePrompt',
  'sources',
  'mask',
  'lastFrame',
  'extend',
  'n',
]);
const FILES: ReadonlySet<string> = new Set([...MEDIA, 'mask', 'lastFrame', 'extend']);
const OF_REFERENCES: ReadonlySet<string> = new Set(['useReferences', 'referenceIds']);

const isListed = (name: string): name is keyof typeof LISTS => name in LISTS;

/** The options that a link carries. Those that it lacks are undefined, so that the defaults apply. */
export const carriedOptions = ({ media }: ListedModel, inputs: Readonly<Record<string, string>>): Values => {
  if (media === undefined) return { max_tokens: Number(inputs['max_tokens']) || undefined };
  const lists = Object.entries(LISTS).map(([name, list]) => [
    name,
    (media[list] ?? []).find((value) => String(value) === inputs[name]),
  ]);
  return { ...Object.fromEntries(lists), audio: inputs['audio'] === 'no' ? false : undefined };
};

/** Whether a call of the model may have the parameter. */
const isTaken = ({ media, text }: ListedModel, name: string): boolean => {
  if (media === undefined) return name !== 'reasoning_effort' || text?.reasoning === true;
  const inputs: readonly string[] = inputsOf(media.mode);
  if (MEDIA.has(name)) return inputs.includes(name);
  if (OF_REFERENCES.has(name)) return inputs.length > 0;
  if (name === 'audio') return media.audio && media.soundAlways !== true;
  if (CAPABILITIES.has(name)) return Boolean(media.capabilities[name as keyof typeof media.capabilities]);
  return !isListed(name) || (media[LISTS[name]] ?? []).length > 0;
};

const parameterOf = (model: ListedModel, name: string, schema: FieldSchema): Parameter | undefined => {
  const { type, enum: values, minimum, maximum, exclusiveMinimum, description: about } = schema;
  const common = { name, about, isUsual: USUAL.has(name) };
  if (model.media !== undefined && FILES.has(name)) return { ...common, kind: 'medium', isUsual: true };
  if (model.media !== undefined && isListed(name)) {
    return { ...common, kind: 'choice', choices: model.media[LISTS[name]] ?? [], isUsual: true };
  }
  if (values !== undefined) return { ...common, kind: 'choice', choices: values };
  const most = name === 'n' ? model.media?.capabilities.n : undefined;
  if (type === 'boolean') return { ...common, kind: 'flag', isUsual: name === 'audio' };
  if (type === 'string') return { ...common, kind: 'text' };
  if ((type !== 'number' && type !== 'integer') || minimum === maximum) return undefined;
  return {
    ...common,
    kind: 'number',
    minimum: minimum ?? exclusiveMinimum,
    maximum: most ?? maximum,
    isWhole: type === 'integer',
  };
};

/** The parameters of a model on its route, and the names of those that only JSON can express. */
export const parametersOf = (
  all: Parameters,
  route: Route,
  model: ListedModel,
): { readonly shown: readonly Parameter[]; readonly onlyJson: readonly string[] } => {
  const fields = Object.entries(all[route.path]?.properties ?? {}).filter(
    ([name]) => !ELSEWHERE.has(name) && isTaken(model, name),
  );
  const found = fields.map(([name, schema]) => [name, parameterOf(model, name, schema)] as const);
  return {
    shown: found.flatMap(([, parameter]) => (parameter === undefined ? [] : [parameter])),
    onlyJson: found.flatMap(([name, parameter]) =>
      parameter === undefined && fields.some(([one, { type }]) => one === name && type !== 'integer')
        ? [name]
        : [],
    ),
  };
};

/**
 * The body for one of several models. It contains only options that the model supports; only the first model gets all
 * options.
 */
export const bodyFor = (model: ListedModel, route: Route, body: Values, isFirst: boolean): Values => {
  const { model: _, modelId: __, ...rest } = body;
  const kept = Object.entries(rest).filter(([name, value]) => {
    if (isFirst) return true;
    if (!isTaken(model, name)) return false;
    const { media } = model;
    return media === undefined || !isListed(name) || (media[LISTS[name]] ?? []).some((one) => one === value);
  });
  return { [route.modelField]: model.id, ...Object.fromEntries(kept) };
};

/** The names of the options that `bodyFor` leaves out for another model. */
export const leftOut = (model: ListedModel, route: Route, body: Values): readonly string[] => {
  const kept = bodyFor(model, route, body, false);
  return Object.keys(body).filter((name) => name !== 'model' && name !== 'modelId' && !(name in kept));
};

type Turn = Readonly<Record<string, unknown>>;

const turnsOf = ({ messages }: Values): readonly Turn[] =>
  Array.isArray(messages)
    ? messages.filter((turn): turn is Turn => typeof turn === 'object' && turn !== null)
    : [];

const lastOf = (turns: readonly Turn[], role: string): number =>
  turns.findLastIndex((turn) => turn['role'] === role && typeof turn['content'] === 'string');

/** The prompt of the form: the user's last text. */
export const promptOf = (body: Values): string => {
  const turns = turnsOf(body);
  const text = turns[lastOf(turns, 'user')]?.['content'] ?? body['prompt'];
  return typeof text === 'string' ? text : '';
};

export const systemOf = (body: Values): string => {
  const [first] = turnsOf(body);
  const text = first?.['role'] === 'system' ? first['content'] : '';
  return typeof text === 'string' ? text : '';
};

export const withPrompt = (body: Values, model: ListedModel, content: string): Values => {
  if (model.media !== undefined) return { ...body, prompt: content };
  const turns = turnsOf(body);
  const at = lastOf(turns, 'user');
  const turn = { role: 'user', content };
  return { ...body, messages: at === -1 ? [...turns, turn] : turns.with(at, { ...turns[at], content }) };
};

export const withSystem = (body: Values, content: string): Values => {
  const turns = turnsOf(body);
  const others = turns[0]?.['role'] === 'system' ? turns.slice(1) : turns;
  return { ...body, messages: content === '' ? others : [{ role: 'system', content }, ...others] };
};

/** The first body for a model, with the prompt of the previous body. */
export const firstBody = (model: ListedModel, prompt: string): Values =>
  model.media === undefined
    ? { model: model.id, messages: [{ role: 'user', content: prompt }], max_tokens: 256 }
    : { modelId: model.id, prompt };

/** The body of the quote of a call. */
export const quoteBodyOf = (body: Values, modelId: string) => ({
  modelId,
  ...Object.fromEntries(
    ['duration', 'resolution', 'imageSize', 'quality', 'aspectRatio', 'audio', 'n', 'max_tokens', 'payer']
      .filter((name) => body[name] !== undefined)
      .map((name) => [name, body[name]]),
  ),
  ...(Array.isArray(body['messages'])
    ? { messages: body['messages'] as { role?: string; content: string }[] }
    : {}),
});

/** The highest possible cost of a text that is charged by usage, by the rule of the service. */
export const limitOf = (model: TextModel, body: Values): number =>
  worstCase(model, {
    ...body,
    messages: turnsOf(body) as readonly object[] as readonly Message[],
  });

const ATTACHED = 'attached:';

/** The text in the body for a file of this device. The page replaces it by the bytes when it sends the call. */
export const attachedName = (name: string): string => ATTACHED + name;

const attachedIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith(ATTACHED) ? value.slice(ATTACHED.length) : undefined;

export const attachments = (body: Values): readonly string[] =>
  Object.values(body).flatMap((value) => attachedIn(value) ?? []);

/** Replaces each file name in the body by the result of `urlOf`. */
export const withFiles = (body: Values, urlOf: (name: string) => string): Values =>
  Object.fromEntries(
    Object.entries(body).map(([field, value]) => {
      const name = attachedIn(value);
      return [field, name === undefined ? value : urlOf(name)];
    }),
  );
