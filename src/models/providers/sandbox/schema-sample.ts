import { type Fields as Schema, isFields } from '#kernel/json';

const DEPTH_MAX = 12;
/** The limit for all values together, because nested lists multiply their number. */
const VALUES_MAX = 1_000;
const ITEMS_MAX = 20;
const CHARS_MAX = 200;
const WORD = '[sandbox]';

const FORMATS: Readonly<Record<string, string>> = {
  date: '2025-01-01',
  'date-time': '2025-01-01T00:00:00Z',
  time: '12:00:00Z',
  email: 'sandbox@example.com',
  uri: 'https://example.com/sandbox',
  uuid: '00000000-0000-4000-8000-000000000000',
};

const numberIn = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise;

const textOf = ({ format, minLength, maxLength }: Schema): string => {
  const text = FORMATS[typeof format === 'string' ? format : ''] ?? WORD;
  const most = Math.max(0, Math.min(CHARS_MAX, numberIn(maxLength, CHARS_MAX)));
  const least = Math.min(most, numberIn(minLength, 0));
  return text.padEnd(least, '.').slice(0, most);
};

const amountOf = ({ minimum, exclusiveMinimum, maximum }: Schema): number => {
  const least = numberIn(exclusiveMinimum, numberIn(minimum, 1) - 1) + 1;
  return Math.min(least, numberIn(maximum, least));
};

const typeOf = ({ type, properties, items }: Schema): unknown => {
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if (properties !== undefined) return 'object';
  return items === undefined ? 'string' : 'array';
};

/** The definition that a reference inside the same schema names. */
const resolved = (ref: string, root: unknown): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (isFields(at) && Object.hasOwn(at, name) ? at[name] : undefined), root);

/** Samples one schema. `left` is the number of values that it may still make. */
class Sampler {
  private left = VALUES_MAX;

  constructor(private readonly root: unknown) {}

  of(schema: unknown, depth = 0): unknown {
    this.left -= 1;
    if (!isFields(schema) || depth > DEPTH_MAX || this.left < 0) return null;
    const again = (next: unknown): unknown => this.of(next, depth + 1);
    const { $ref, enum: choices, anyOf, oneOf, allOf, properties, items, minItems } = schema;
    if (typeof $ref === 'string') return again(resolved($ref, this.root));
    if ('const' in schema) return schema['const'];
    if (Array.isArray(choices) && choices.length > 0) return choices[0];
    for (const list of [anyOf, oneOf]) if (Array.isArray(list) && list.length > 0) return again(list[0]);
    if (Array.isArray(allOf)) return again(Object.assign({}, ...allOf.filter(isFields)));
    switch (typeOf(schema)) {
      case 'object': {
        const entries = Object.entries(isFields(properties) ? properties : {});
        return Object.fromEntries(entries.map(([name, one]) => [name, again(one)]));
      }
      case 'array':
        return Array.from({ length: Math.min(ITEMS_MAX, numberIn(minItems, 1)) }, () => again(items));
      case 'integer':
      case 'number':
        return amountOf(schema);
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return textOf(schema);
    }
  }
}

/** A value that fits a JSON schema. The same schema always gives the same value. Unknown keywords are ignored. */
export const sampleOf = (schema: unknown): unknown => new Sampler(schema).of(schema);
