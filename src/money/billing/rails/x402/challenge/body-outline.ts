import { isFields } from '#kernel/json';
import type { Schema } from '#platform/http/routes/schema-of';

/** The schema fields that a reader needs to build a body. The OpenAPI document has all fields. */
const KEPT: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxLength',
  'default',
  'required',
]);

const propertiesOf = (schema: Schema): readonly (readonly [string, Schema])[] =>
  isFields(schema['properties'])
    ? Object.entries(schema['properties']).filter((entry): entry is [string, Schema] => isFields(entry[1]))
    : [];

const requiredOf = (schema: Schema): readonly string[] =>
  Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];

const outline = (schema: Schema, isKept: (name: string, required: boolean) => boolean): Schema => {
  const required = requiredOf(schema);
  const properties = propertiesOf(schema).filter(([name]) => isKept(name, required.includes(name)));
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => KEPT.has(keyword))),
    ...(isFields(schema['properties'])
      ? { properties: Object.fromEntries(properties.map(([name, part]) => [name, outline(part, isKept)])) }
      : {}),
    ...(isFields(schema['items']) ? { items: outline(schema['items'], isKept) } : {}),
  };
};

/** The schema of a body in at most `bytesMax` of JSON: all fields if they fit, or else the required ones. */
export const outlineOf = (schema: Schema, bytesMax: number): Schema => {
  const whole = outline(schema, () => true);
  if (JSON.stringify(whole).length <= bytesMax) return whole;
  return neededOf(schema, bytesMax);
};

/** The required fields of a body in at most `bytesMax` of JSON, or no field. */
export const neededOf = (schema: Schema, bytesMax: number): Schema => {
  const needed = outline(schema, (_, required) => required);
  return JSON.stringify(needed).length <= bytesMax ? needed : { type: 'object' };
};
