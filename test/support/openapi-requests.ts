import type { OpenAPIObject } from '@nestjs/swagger';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';

import { type JsonSchema, type Known, jsonText, mutated, valueOf } from './schema-values';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: JsonSchema;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: JsonSchema;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const operationsOf = (document: OpenAPIObject): Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Record<string, unknown>>)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => {
        const content = (operation['requestBody'] as { content?: Record<string, { schema?: JsonSchema }> })
          ?.content;
        return {
          method: method.toUpperCase(),
          path,
          parameters: (operation['parameters'] ?? []) as Parameter[],
          body: content?.['application/json']?.schema,
        };
      }),
  );

/** Values that attackers try in addresses and headers. Node's own parser refuses further ones before our code. */
const noise = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  fc.constantFrom(
    '',
    '..',
    '%00',
    '%0d%0a',
    '%',
    '%zz',
    '%ff',
    "' or 1=1 --",
    '__proto__',
    'null',
    '-1',
    '1e9',
  ),
  fc.constant('a'.repeat(3_000)),
);

const BAD_CREDENTIALS: readonly Record<string, string>[] = [
  {},
  { 'x-api-key': `lp_${'a'.repeat(64)}` },
  { authorization: 'Bearer lp_short' },
  { authorization: 'Basic Og==' },
  { 'payment-signature': 'e30=' },
  { 'payment-signature': Buffer.from('{"x402Version":2,"payload":null}').toString('base64') },
  { 'x-payment': '!!' },
  { 'sign-in-with-x': 'bnVsbA' },
  { 'sign-in-with-x': Buffer.from('{"message":[],"signature":{}}').toString('base64') },
  { cookie: 'lamppost_session=x; lamppost_session=y' },
];

const rarely = fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: noise });

const headersWith = (
  credentials: fc.Arbitrary<Record<string, string>>,
): fc.Arbitrary<Record<string, string>> =>
  fc
    .record({
      credential: credentials,
      'idempotency-key': rarely,
      'x-max-price-micro': rarely,
      'x-forwarded-for': rarely,
    })
    .map(({ credential, ...others }) => ({
      ...credential,
      ...Object.fromEntries(
        Object.entries(others).flatMap(([name, value]) =>
          // A real client can send only Latin-1 without control characters.
          value === undefined ? [] : [[name, value.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?')]],
        ),
      ),
    }));

const types = fc.oneof(
  { weight: 20, arbitrary: fc.constant('application/json') },
  fc.constantFrom('', 'text/plain', 'application/json; charset=utf-16', 'application/x-www-form-urlencoded'),
);

/** Cuts, repeats or corrupts the text at some place, or leaves it unchanged. */
const damaged = (text: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(text) },
    fc.nat(text.length).map((at) => text.slice(0, at)),
    fc.tuple(fc.nat(text.length), noise).map(([at, dirt]) => text.slice(0, at) + dirt + text.slice(at)),
    fc.constant(text.replace('}', `,${text.slice(1)}`)),
  );

const pathOf = (operation: Operation): fc.Arbitrary<string> => {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
  const text = (parameter: Parameter): fc.Arbitrary<string> =>
    fc.oneof(noise, valueOf(parameter.schema ?? {}, { schemas: {}, values: {} }).map(String));
  const encoded = (value: string): string => {
    try {
      return encodeURIComponent(value);
    } catch {
      return '%ed%a0%80'; // A lone surrogate, encoded as bytes.
    }
  };
  return fc
    .tuple(
      fc.tuple(...inPath.map(text)),
      fc.tuple(...inQuery.map((one) => fc.option(text(one)))),
      fc.boolean(),
    )
    .map(([paths, queries, repeat]) => {
      const path = inPath.reduce(
        (url, { name }, index) => url.replace(`{${name}}`, encoded(paths[index] ?? '')),
        operation.path,
      );
      const query = inQuery.flatMap(({ name }, index) =>
        queries[index] === null ? [] : [`${name}=${encoded(queries[index] ?? '')}`],
      );
      return `${path}${query.length === 0 ? '' : `?${[...query, ...(repeat ? query : [])].join('&')}`}`;
    });
};

const bodyOf = ({ body }: Operation, known: Known): fc.Arbitrary<string | undefined> => {
  if (body === undefined) {
    return rarely;
  }
  const value = valueOf(body, known);
  return fc.oneof(value.map(jsonText), mutated(value).map(jsonText).chain(damaged));
};

/** Requests for every operation of a document: valid ones, nearly valid ones, and nonsense. */
export const requestsFor = (
  document: OpenAPIObject,
  values: Known['values'],
  credentials: readonly Record<string, string>[],
): fc.Arbitrary<InjectOptions> => {
  const known = { schemas: (document.components?.schemas ?? {}) as Known['schemas'], values };
  const headers = headersWith(fc.constantFrom(...credentials, ...BAD_CREDENTIALS));
  return fc.constantFrom(...operationsOf(document)).chain((operation) =>
    fc
      .record({ url: pathOf(operation), headers, type: types, payload: bodyOf(operation, known) })
      .map(({ url, headers: sent, type, payload }) => ({
        method: operation.method as 'GET',
        url,
        headers: payload === undefined ? sent : { ...sent, 'content-type': type },
        payload,
      })),
  );
};
