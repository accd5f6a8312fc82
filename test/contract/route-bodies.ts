import sharp from 'sharp';

import { pictureUri } from '../references/library-callers';
import type { JsonSchema } from '../support/schema-values';
import type { World } from '../support/world';

type Body = Readonly<Record<string, unknown>>;

/** Fields that have no part in the price of a call. */
const NOT_PRICED = new Set(['payer', 'quoteId', 'maxPriceMicro', 'dryRun', 'tag', 'webhookUrl']);
const LONGER = ' and so on'.repeat(30);
/** Texts that may set a price: seconds, tiers and sizes. */
const WORDS = ['4', '8', '12', '2K', '4K', '720p', '1080p', '1536x1024', '1280x720', '1792x1024'];
/** The most other values of one field. */
const OTHERS_MAX = 2;
/** The most values of one field that are priced. */
const VALUES_MAX = 100;
/** The most parts inside each other that values of a schema have. */
const DEPTH_MAX = 5;

/** The values near one value: longer texts, larger numbers, more items. */
const near = (value: unknown): readonly unknown[] => {
  if (typeof value === 'string') return [value + LONGER];
  if (typeof value === 'number') return [value + 1, value * 2, value * 100];
  if (typeof value === 'boolean') return [!value];
  if (Array.isArray(value))
    return [
      [...(value as unknown[]), ...(value as unknown[])],
      ...value.flatMap((item: unknown, at) => near(item).map((other) => value.with(at, other) as unknown)),
    ];
  return Object.entries((value ?? {}) as Body).flatMap(([name, part]) =>
    near(part).map((other) => ({ ...(value as Body), [name]: other })),
  );
};

/** A picture of few bytes, with more pixels than any example. A pricer may measure the picture of a body. */
export const largePicture = async (): Promise<string> => {
  const png = await sharp({ create: { width: 4_096, height: 4_096, channels: 3, background: '#642' } })
    .png({ palette: true, colours: 2 })
    .toBuffer();
  return `data:image/png;base64,${png.toString('base64')}`;
};

type Schemas = Readonly<Record<string, JsonSchema>>;

const isRecord = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values of a schema. An object has its required fields, and one other field. */
const ofSchema = (schema: JsonSchema, schemas: Schemas, depth = 0): readonly unknown[] => {
  const { $ref, oneOf, anyOf, allOf, type, enum: choices, minimum = 1, maximum = 60 } = schema;
  if (depth > DEPTH_MAX) return [];
  const valuesOf = (part: JsonSchema): readonly unknown[] => ofSchema(part, schemas, depth + 1);
  if ($ref !== undefined) return valuesOf(schemas[$ref.split('/').at(-1)!] ?? {});
  const parts = oneOf ?? anyOf ?? allOf;
  if (parts !== undefined) return parts.flatMap(valuesOf);
  if (choices !== undefined) return choices;
  if (type === 'boolean') return [true, false];
  if (type === 'integer' || type === 'number') return [minimum, 2, 4, 8, Math.min(maximum, 60), maximum];
  if (type === 'array') return valuesOf(schema.items ?? {}).flatMap((item) => [[item], [item, item]]);
  if (type === 'object') return ofFields(schema, valuesOf);
  return type === 'string' ? WORDS : [];
};

const ofFields = (
  { properties = {}, required = [] }: JsonSchema,
  valuesOf: (part: JsonSchema) => readonly unknown[],
): readonly Body[] => {
  const least = Object.fromEntries(required.map((name) => [name, valuesOf(properties[name] ?? {})[0]]));
  return Object.entries(properties).flatMap(([name, part]) =>
    valuesOf(part).map((value) => ({ ...least, [name]: value })),
  );
};

interface Documented {
  readonly schema: JsonSchema;
  readonly schemas: Schemas;
  readonly prices: { readonly min: string; readonly max: string };
}

const documentedOf = async (world: World, path: string): Promise<Documented> => {
  for (const name of ['agent', 'extensions']) {
    const { paths, components } = (await world.get(`/v1/${name}/openapi.json`)).body;
    const operation = paths[path]?.post;
    if (operation === undefined) continue;
    const { schema } = operation.requestBody.content['application/json'];
    const ref = (schema as JsonSchema).$ref?.split('/').at(-1);
    return {
      schema: ref === undefined ? schema : components.schemas[ref],
      schemas: components.schemas,
      prices: operation['x-payment-info'].price,
    };
  }
  throw new Error(`No document has POST ${path}.`);
};

const fieldsOf = async (world: World, path: string): Promise<[string, JsonSchema][]> => {
  const { properties = {} } = (await documentedOf(world, path)).schema;
  return Object.entries(properties).filter(([name]) => !NOT_PRICED.has(name));
};

const quoted = async (world: World, path: string, body: Body): Promise<number | undefined> => {
  const answer = await world.post(`/v1/agent/quote?path=${path}`, body);
  return answer.status === 200 ? (answer.body.priceMicro as number) : undefined;
};

/** Valid bodies that differ from the example in one field and have another price. */
export const otherPrices = async (world: World, path: string, example: Body): Promise<readonly Body[]> => {
  const { prices, schemas } = await documentedOf(world, path);
  const own = await quoted(world, path, example);
  const others: Body[] = [];
  for (const [name, schema] of await fieldsOf(world, path)) {
    const given = example[name];
    const values = [
      ...(given === undefined ? [] : near(given)),
      ...(String(given).startsWith('data:image/') ? [await largePicture()] : []),
      ...ofSchema(schema, schemas).map((value) =>
        isRecord(given) && isRecord(value) ? { ...given, ...value } : value,
      ),
    ].slice(0, VALUES_MAX);
    let found = 0;
    for (const value of values) {
      const body = { ...example, [name]: value };
      const price = found < OTHERS_MAX ? await quoted(world, path, body) : undefined;
      if (price === undefined || price === own) continue;
      others.push(body);
      found += 1;
    }
  }
  if (others.length === 0 && prices.min !== prices.max)
    throw new Error(
      `No change of the example of POST ${path} changes its price, which is ${JSON.stringify(prices)}.`,
    );
  return others;
};

/** Valid bodies with a picture in one of the fields that take media. */
export const withSources = async (
  world: World,
  path: string,
  example: Body,
  picture?: string,
): Promise<readonly Body[]> => {
  const found: Body[] = [];
  for (const [name, { type, enum: choices }] of await fieldsOf(world, path)) {
    if (type !== 'string' || choices !== undefined || name === 'prompt') continue;
    const body = { ...example, [name]: picture ?? (await pictureUri()) };
    if ((await quoted(world, path, body)) !== undefined) found.push(body);
  }
  return found;
};
