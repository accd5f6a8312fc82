import fc from 'fast-check';

/** The part of JSON Schema that our documents use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly example?: string;
}

/** The facts that a document does not contain: the schemas that it refers to, and existing values by field name. */
export interface Known {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Fields with an empty list are left out. */
  readonly values: Readonly<Record<string, readonly unknown[]>>;
}

const LENGTH_MAX = 60;
const RAW = /"@raw:(.*?):raw@"/g;

/** A piece of JSON that has no JavaScript value, such as `1e400`. */
const raw = (text: string): string => `@raw:${text}:raw@`;

export const jsonText = (value: unknown): string =>
  (JSON.stringify(value) ?? 'undefined').replaceAll(
    RAW,
    (_, text: string) => JSON.parse(`"${text}"`) as string,
  );

/**
 * A value that nearly always fits the schema. If it has both a pattern and a length, the value may not fit, which is
 * just as useful here.
 */
export const valueOf = (schema: JsonSchema, known: Known, depth = 0): fc.Arbitrary<unknown> => {
  if (schema.$ref !== undefined) {
    return valueOf(known.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, known, depth + 1);
  }
  const choice = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (choice !== undefined) {
    return fc.oneof(...choice.map((one) => valueOf(one, known, depth + 1)));
  }
  if (schema.enum !== undefined) {
    return fc.constantFrom(...schema.enum);
  }
  const { minimum = -10, maximum = 10_000 } = schema;
  switch (schema.type) {
    case 'object':
      return depth > 5 ? fc.constant({}) : objectOf(schema, known, depth);
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, known, depth + 1), { maxLength: 3 });
    case 'integer':
      return fc.maxSafeInteger().map((n) => minimum + (Math.abs(n) % (Math.min(maximum, 1e9) - minimum + 1)));
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return textOf(schema);
  }
};

const textOf = ({ pattern, example, maxLength = LENGTH_MAX }: JsonSchema): fc.Arbitrary<string> => {
  const free = fc.string({ unit: 'grapheme', maxLength: Math.min(maxLength, LENGTH_MAX) });
  const matching = pattern === undefined ? free : fc.stringMatching(new RegExp(pattern));
  return example === undefined ? matching : fc.oneof(matching, fc.constant(example));
};

const objectOf = (schema: JsonSchema, known: Known, depth: number): fc.Arbitrary<object> => {
  const required = schema.required ?? [];
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => known.values[name]?.length !== 0);
  return fc.record(
    Object.fromEntries(
      fields.map(([name, field]) => {
        const free = valueOf(field, known, depth + 1);
        const values = known.values[name];
        return [
          name,
          values === undefined
            ? free
            : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: free }),
        ];
      }),
    ),
    { requiredKeys: required.filter((name) => known.values[name]?.length !== 0) },
  );
};

/** Values that break validators: each of them once caused a 500. */
const HOSTILE: readonly unknown[] = [
  null,
  true,
  'false',
  0,
  -1,
  raw('-0'),
  raw('1e400'),
  raw('-1e400'),
  raw('0.1e-400'),
  raw(`1${'0'.repeat(400)}`),
  Number.MAX_SAFE_INTEGER,
  5e-324,
  '',
  ' ',
  '5',
  '0x10',
  '\u0000',
  '\ud800',
  '\u202e',
  '\uffff',
  '🦊'.repeat(2_000),
  'a'.repeat(60_000),
  '__proto__',
  'constructor',
  'data:image/png;base64,AAAA',
  'data:image/png;base64,',
  'http://127.0.0.1/',
  'https://[::1]/x.png',
  'file:///etc/passwd',
  '0x0000000000000000000000000000000000000000',
  [],
  [[]],
  [[[[]]]],
  [null],
  {},
  { length: 1e9 },
  { toString: null, valueOf: null },
  raw('{\\"__proto__\\":{\\"polluted\\":1}}'),
  raw('['.repeat(10_000) + ']'.repeat(10_000)),
  raw(`[${'0,'.repeat(20_000)}0]`),
  raw(`[${'[],'.repeat(20_000)}[]]`),
  raw(`{${Array.from({ length: 3_000 }, (_, n) => `\\"k${n}\\":0`).join(',')}}`),
];

const hostile = fc.constantFrom(...HOSTILE);

/** The value, with up to three changes: a field removed, replaced, added, or wrapped. */
export const mutated = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(value, fc.array(fc.tuple(fc.nat(3), fc.nat(), hostile), { maxLength: 3, size: 'small' }))
    .map(([start, changes]) =>
      changes.reduce<unknown>((now, [how, where, what]) => change(now, how, where, what), start),
    );

const change = (value: unknown, how: number, where: number, what: unknown): unknown => {
  const isContainer = typeof value === 'object' && value !== null;
  const keys = isContainer ? Object.keys(value) : [];
  const key = keys[where % Math.max(1, keys.length)];
  if (how === 0 || !isContainer || key === undefined) {
    return how === 0 && where % 4 === 0
      ? what
      : isContainer && !Array.isArray(value)
        ? { ...value, extra: what }
        : what;
  }
  const inner = (value as Record<string, unknown>)[key];
  const next =
    how === 1 ? undefined : how === 2 ? what : change(inner, where % 3, Math.floor(where / 7), what);
  return Array.isArray(value)
    ? value.map((item: unknown, index) => (String(index) === key ? next : item))
    : { ...value, [key]: next };
};
