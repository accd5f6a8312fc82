import type { OpenAPIObject } from '@nestjs/swagger';
import type { InjectOptions } from 'fastify';

import type { JsonSchema } from './schema-values';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
  readonly schema?: JsonSchema & { readonly example?: unknown };
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: JsonSchema;
  readonly example?: Readonly<Record<string, unknown>>;
}

/** A request with one wrong value, and the place of that value. */
export interface WrongRequest {
  readonly where: string;
  readonly request: InjectOptions;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Headers that routes read, whether or not the document names them. */
const HEADERS = [
  'idempotency-key',
  'last-event-id',
  'prefer',
  'range',
  'accept',
  'x-max-price-micro',
  'x-organisation',
  'x-api-key',
  'authorization',
  'sign-in-with-x',
  'payment-signature',
  'x-payment',
  'cookie',
  'content-type',
  'if-none-match',
  'x-stainless-retry-count',
  'x-forwarded-for',
  'x-request-id',
  'traceparent',
] as const;

/** Texts that are wrong nearly everywhere, by the typical mistakes of services. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '-0',
  '1.5',
  '1e3',
  '1e400',
  '0x10',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '99999999999999999999999999',
  'NaN',
  'Infinity',
  'null',
  'true',
  'now',
  'hello',
  'e',
  'evt_',
  'at_',
  'at_-1',
  'at_999999999999999',
  'job_',
  'ch_0',
  '0_0',
  '1_job_0',
  '2026-13-45T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  '2026-01-01_x',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  "' or 1=1 --",
  '%',
  '%00',
  '\u0000',
  'a\u0000b',
  '\ufffd',
  '🦊',
  '\u202e',
  '\ufdfa'.repeat(20),
  'İ',
  'a'.repeat(101),
  'a'.repeat(3_000),
  '{}',
  '[]',
  'eyJhIjoxfQ',
  'bnVsbA==',
  'data:image/png;base64,AAAA',
  'http://127.0.0.1/',
  'https://[::1]/x.png',
  '0x0000000000000000000000000000000000000000',
];

/** Values of every type of JSON. */
const VALUES: readonly unknown[] = [
  ...TEXTS,
  '\ud800',
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e15,
  9_007_199_254_740_992,
  1e308,
  5e-324,
  [],
  {},
  [null],
  [[]],
  [{}],
  ['a', 'a'],
  { length: 1e9 },
  { toString: null },
  Array.from({ length: 200 }, (_, at) => at),
];

const operationsOf = (document: OpenAPIObject): Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Record<string, unknown>>)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => {
        const { content = {} } = (operation['requestBody'] ?? {}) as {
          content?: Record<string, { schema?: JsonSchema; examples?: Record<string, { value: object }> }>;
        };
        const { schema, examples = {} } = content['application/json'] ?? {};
        return {
          method: method.toUpperCase(),
          path,
          parameters: (operation['parameters'] ?? []) as Parameter[],
          body: schema,
          example: Object.values(examples)[0]?.value as Record<string, unknown> | undefined,
        };
      }),
  );

/** The paths of all fields of a schema, including those of its objects and lists. */
const fieldsOf = (
  schema: JsonSchema | undefined,
  schemas: Readonly<Record<string, JsonSchema>>,
  depth = 0,
): (readonly (string | number)[])[] => {
  if (schema === undefined || depth > 4) return [];
  if (schema.$ref !== undefined)
    return fieldsOf(schemas[schema.$ref.split('/').at(-1) ?? ''], schemas, depth);
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf ?? [];
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    [name],
    ...fieldsOf(field, schemas, depth + 1).map((path) => [name, ...path]),
  ]);
  const items =
    schema.items === undefined
      ? []
      : [[0], ...fieldsOf(schema.items, schemas, depth + 1).map((path) => [0, ...path])];
  return [...inside, ...items, ...choices.flatMap((choice) => fieldsOf(choice, schemas, depth))];
};

/** A copy with a value at a path. It replaces any value on the way. */
const withValue = (body: unknown, [name, ...rest]: readonly (string | number)[], value: unknown): unknown => {
  if (name === undefined) return value;
  if (typeof name === 'number') return [withValue(Array.isArray(body) ? body[0] : undefined, rest, value)];
  const holder = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  return { ...holder, [name]: withValue((holder as Record<string, unknown>)[name], rest, value) };
};

const encoded = (text: string): string => {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ed%a0%80';
  }
};

/** The characters that a client can send in a header. */
const inHeader = (text: string): string => text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?');

/** Every operation of a document, with every wrong value in each of its places, one at a time. */
export const wrongRequests = (
  document: OpenAPIObject,
  ids: Readonly<Record<string, string>>,
): WrongRequest[] => {
  const schemas = (document.components?.schemas ?? {}) as Record<string, JsonSchema>;
  return operationsOf(document).flatMap((operation) => {
    const { method, path, parameters, body, example = {} } = operation;
    const urlWith = (name?: string, text = ''): string =>
      parameters
        .filter((one) => one.in === 'path')
        .reduce(
          (url, one) =>
            url.replace(
              `{${one.name}}`,
              one.name === name ? encoded(text) || '%20' : encoded(ids[one.name] ?? 'x'),
            ),
          path,
        );
    const request = (
      url: string,
      headers: Record<string, string> = {},
      payload: unknown = example,
    ): InjectOptions => ({
      method: method as 'GET',
      url,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      payload: body === undefined ? undefined : JSON.stringify(payload),
    });
    const made = (where: string, one: InjectOptions): WrongRequest => ({
      where: `${method} ${path} ${where}`,
      request: one,
    });
    const ofPath = parameters
      .filter((one) => one.in === 'path')
      .flatMap(({ name }) => TEXTS.map((text) => made(`path ${name}`, request(urlWith(name, text)))));
    const ofQuery = parameters
      .filter((one) => one.in === 'query')
      .flatMap(({ name }) => [
        ...TEXTS.map((text) => made(`query ${name}`, request(`${urlWith()}?${name}=${encoded(text)}`))),
        made(`query ${name}`, request(`${urlWith()}?${name}=1&${name}=2`)),
        made(`query ${name}`, request(`${urlWith()}?${name}[a]=1`)),
      ]);
    const headers = new Set<string>([
      ...HEADERS,
      ...parameters.filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase()),
    ]);
    const ofHeaders = [...headers].flatMap((name) =>
      TEXTS.filter((_, at) => at % 3 === name.length % 3 || method === 'GET').map((text) =>
        made(`header ${name}`, request(urlWith(), { [name]: inHeader(text) })),
      ),
    );
    const ofBody =
      body === undefined
        ? []
        : [[], ...fieldsOf(body, schemas)].flatMap((field) =>
            VALUES.map((value) =>
              made(`body ${field.join('.')}`, request(urlWith(), {}, withValue(example, field, value))),
            ),
          );
    return [...ofPath, ...ofQuery, ...ofHeaders, ...ofBody];
  });
};
