/** The parts of an OpenAPI document that the reader shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface Answer {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface Document {
  readonly info: { readonly title: string; readonly description?: string; readonly version: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** One route, or one message to a webhook. */
export interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface Group {
  readonly name: string;
  readonly about: string;
  readonly entries: readonly Entry[];
}

const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete']);

const entriesOf = (paths: Document['paths']): readonly Entry[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** The routes by their tag, in the order of the document, and then the messages to webhooks. */
export const groupsOf = ({ paths, tags = [], webhooks = {} }: Document): readonly Group[] => {
  const entries = entriesOf(paths);
  const named = new Set(tags.map(({ name }) => name));
  const groups = tags.map(({ name, description = '' }) => ({
    name,
    about: description,
    entries: entries.filter(({ operation }) => operation.tags?.[0] === name),
  }));
  const others = entries.filter(({ operation }) => !named.has(operation.tags?.[0] ?? ''));
  const messages = entriesOf(webhooks).map((entry) => ({ ...entry, method: 'EVENT' }));
  return [
    ...groups,
    { name: 'more', about: '', entries: others },
    { name: 'messages', about: 'Sent to webhook endpoints.', entries: messages },
  ].filter((group) => group.entries.length > 0);
};

/** The schema itself, after following a reference. */
export const resolved = (schema: Schema, { components }: Document): Schema => {
  const name = schema.$ref?.split('/').at(-1);
  const found = name === undefined ? undefined : components.schemas?.[name];
  if (found !== undefined) return { ...resolved(found, { components } as Document), ...withoutRef(schema) };
  const [only] = schema.allOf ?? [];
  return only === undefined || schema.allOf?.length !== 1
    ? schema
    : { ...resolved(only, { components } as Document), ...withoutRef({ ...schema, allOf: undefined }) };
};

const withoutRef = ({ $ref: _, ...rest }: Schema): Schema =>
  Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));

const choices = (schema: Schema): readonly Schema[] => schema.oneOf ?? schema.anyOf ?? [];

/** The type in a few words: `list of text`, `whole number`, `text or null`. */
export const typeOf = (schema: Schema, document: Document): string => {
  const own = resolved(schema, document);
  if (choices(own).length > 0) {
    return [...new Set(choices(own).map((choice) => typeOf(choice, document)))].join(' or ');
  }
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (own.type === 'array')
    return `list of ${own.items === undefined ? 'anything' : typeOf(own.items, document)}`;
  return [own.type ?? 'anything']
    .flat()
    .map((type) => WORDS[type] ?? type)
    .join(' or ');
};

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
};

/** The limits of a value in words. */
export const limitsOf = (schema: Schema, document: Document): string => {
  const own = resolved(schema, document);
  const { enum: values, format, default: usual, minimum, maximum, minLength, maxLength } = own;
  return [
    values === undefined ? '' : `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
    format ?? '',
    minimum === undefined ? '' : `at least ${minimum.toLocaleString('en')}`,
    maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER
      ? ''
      : `at most ${maximum.toLocaleString('en')}`,
    minLength === undefined ? '' : `at least ${minLength} characters`,
    maxLength === undefined ? '' : `at most ${maxLength.toLocaleString('en')} characters`,
    usual === undefined ? '' : `default ${JSON.stringify(usual)}`,
  ]
    .filter((part) => part !== '')
    .join('; ');
};

/** The object whose fields are shown below a value: the value itself, or the items of a list. */
export const fieldsOf = (schema: Schema, document: Document): readonly Schema[] => {
  const own = resolved(schema, document);
  if (own.properties !== undefined) return [own];
  if (own.items !== undefined) return fieldsOf(own.items, document);
  return choices(own).flatMap((choice) => fieldsOf(choice, document));
};

export const exampleOf = (content: Readonly<Record<string, Media>> | undefined): unknown => {
  const media = content?.['application/json'];
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
};

export const schemaOf = (content: Readonly<Record<string, Media>> | undefined): Schema | undefined =>
  content?.['application/json']?.schema;
