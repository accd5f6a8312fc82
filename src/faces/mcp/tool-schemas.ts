import { withoutAbsent } from '#kernel/present';
import type { Schema } from '#platform/http/routes/schema-of';

type Fields = Readonly<Record<string, Schema>>;

export const fieldsOf = (schema: Schema): Fields => (schema['properties'] ?? {}) as Fields;

export const merged = (...schemas: readonly Schema[]): Schema => ({
  type: 'object',
  properties: Object.assign({}, ...schemas.map(fieldsOf)) as Fields,
  required: schemas.flatMap((schema) => (schema['required'] ?? []) as readonly string[]),
});

export const without = (schema: Schema, ...names: readonly string[]): Schema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(fieldsOf(schema)).filter(([name]) => !names.includes(name))),
});

/**
 * Clients also validate failures, so the schema allows them: the envelope and the payment requirements both have an
 * `error`.
 */
export const orError = ({ required, ...schema }: Schema): Schema => ({
  type: 'object',
  properties: { ...fieldsOf(schema), error: {} },
  anyOf: [{ required }, { required: ['dryRun'] }, { required: ['error'] }],
});

/** Keywords that only a validator needs. The route checks them, and its error says what to change. */
const FOR_VALIDATORS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minimum',
]);
const NUMBER_MAX = 1_000_000;

/** Short descriptions of the fields that most tools have. */
const SHORTER: Readonly<Record<string, string>> = {
  quoteId: 'From quote: the call costs exactly that.',
  maxPriceMicro: 'A dearer call is refused; micro-USD.',
  dryRun: 'Only check, and answer the price.',
  modelId: 'From list_models; without it, the default for the given media.',
  image: 'Source image: an http(s) address, a data: URI up to 8 MB, or the id of a reference.',
  image2: 'Face or subject for swaps; as image.',
  sources: 'More source images, for models with the capability sources.',
  mask: 'White where image is repainted; as image.',
  lastFrame: 'The last picture of the video; as image.',
  extend: 'The clip that the video continues; duration is the new part.',
  seed: 'For models with the capability seed.',
  negativePrompt: 'What the result should not show, for models with that capability.',
  n: 'How many images; each has its price.',
  useReferences: 'Attach the best matches of your references.',
  referenceIds: 'Ids of list_references, in order.',
  max_tokens: 'The most tokens of the answer, which are billed. Default 1024.',
};

/**
 * The schema as a model reads it, because each character of the list costs its caller tokens. Only the tool's own fields
 * keep their descriptions.
 */
export const forModels = (schema: Schema, depth = 0): Schema => {
  const { maximum, required, properties, items, description, ...others } = schema;
  const kept = Object.entries(others).filter(([name]) => !FOR_VALIDATORS.has(name));
  const fields = Object.entries((properties ?? {}) as Fields).map(([name, one]) => {
    const about = SHORTER[name] ?? one['description'];
    return [name, forModels({ ...one, description: about }, depth + 1)];
  });
  return withoutAbsent({
    ...Object.fromEntries(kept),
    maximum: Number(maximum) <= NUMBER_MAX ? maximum : undefined,
    description: depth > 1 || description === undefined ? undefined : inWordsOfTools(description as string),
    required: Array.isArray(required) && required.length === 0 ? undefined : required,
    properties: properties === undefined ? undefined : Object.fromEntries(fields),
    items: items === undefined ? undefined : forModels(items as Schema, depth + 1),
  });
};

/** The names of our routes and headers in texts, and those of the tools that do the same. */
const TOOLS_FOR_ROUTES: readonly (readonly [RegExp, string])[] = [
  [/`?GET \/v1\/agent\/models`?/g, 'list_models'],
  [/`?POST \/v1\/agent\/quote`?/g, 'quote'],
  [/`?GET \/v1\/agent\/jobs\/\{id\}`?/g, 'get_job'],
  [/`?POST \/v1\/agent\/jobs\/\{id\}\/cancel`?/g, 'cancel_job'],
  [/`?POST \/v1\/agent\/keys`?/g, 'create_key'],
  [/`?GET \/v1\/agent\/x402\/balance\/\{wallet\}`?/g, 'get_balance'],
  [/`?POST \/v1\/agent\/generate`?/g, 'generate_image or generate_video'],
  [/`?POST \/v1\/agent\/chat`?/g, 'chat'],
  [/ Also as the header X-Max-Price-Micro\./g, ''],
];

/** The text for a reader who knows tools and no routes. */
export const inWordsOfTools = (text: string): string =>
  TOOLS_FOR_ROUTES.reduce((words, [route, tool]) => words.replace(route, tool), text);
