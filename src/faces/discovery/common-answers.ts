import type { OpenAPIObject } from '@nestjs/swagger';

import { DEPRECATION, type Deprecation } from '#platform/http/routes/deprecation';
import { failureOf, statusText } from './status-texts';

type Headers = Readonly<Record<string, object>>;

interface Response {
  description?: string;
  headers?: Headers;
}

interface Operation {
  readonly [DEPRECATION]?: Deprecation;
  deprecated?: boolean;
  description?: string;
  readonly requestBody?: object;
  security?: readonly object[];
  responses: Record<string, Response>;
}

const header = (description: string, schema: object): object => ({ description, schema });

/** The headers that hooks add to answers. The document describes each once, and refers to it elsewhere. */
const HEADERS: Headers = {
  'X-Request-Id': header('Send us this id with a problem report.', { type: 'string' }),
  'RateLimit-Limit': header('The limit of such calls a minute.', { type: 'integer', minimum: 1 }),
  'RateLimit-Remaining': header('The calls that are left in this minute.', { type: 'integer', minimum: 0 }),
  'RateLimit-Reset': header('In how many seconds the next minute begins.', { type: 'integer', minimum: 1 }),
  'Retry-After': header('The seconds to wait.', { type: 'integer', minimum: 1 }),
  'x-should-retry': header('Whether the same request may succeed later; stock clients obey it.', {
    type: 'string',
    enum: ['true', 'false'],
  }),
};

const DEPRECATED: Headers = {
  Deprecation: header('Since when the route is deprecated (RFC 9745).', { type: 'string' }),
  Sunset: header('From when the route may be gone (RFC 8594).', { type: 'string' }),
  Link: header('The page about it, and the route to use.', { type: 'string' }),
};

const refer = (...names: readonly string[]): Headers =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const LIMIT = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/**
 * Answers after which a retry may succeed. `default` covers failures of any route, such as 503 while the database is
 * away.
 */
const LATER = ['409', '429', '503', 'default'];

const headersOf = (status: string, isLimited: boolean): Headers =>
  refer(
    'X-Request-Id',
    ...(isLimited ? LIMIT : []),
    ...(LATER.includes(status) ? ['Retry-After'] : []),
    ...(Number(status) < 400 ? [] : ['x-should-retry']),
  );

/**
 * Refusals of calls with a session instead of a key. The call may name an organisation of which the person is no
 * member, or the person's role may be too low.
 */
const BY_SESSION = [403, 404];

/** Refusals that any route can have before it runs. */
const refusals = ({ requestBody, responses, security = [] }: Operation): Record<string, Response> => ({
  ...(responses['400'] === undefined ? { 400: failureOf(400) } : {}),
  ...(security.some((scheme) => 'apiKey' in scheme || 'session' in scheme)
    ? Object.fromEntries(
        BY_SESSION.filter((status) => !(status in responses)).map((status) => [status, failureOf(status)]),
      )
    : {}),
  ...(requestBody !== undefined && responses['408'] === undefined ? { 408: failureOf(408) } : {}),
  ...(requestBody !== undefined && responses['413'] === undefined ? { 413: failureOf(413) } : {}),
  ...(requestBody !== undefined && responses['415'] === undefined ? { 415: failureOf(415) } : {}),
  default: failureOf(undefined),
});

/** `[{}]` means the same as `[]`, but crawlers recognise only the latter as a public route. */
const isPublic = ({ security = [] }: Operation): boolean =>
  security.length > 0 && security.every((scheme) => Object.keys(scheme).length === 0);

/** Replaces references that the first document of this process has left in these objects. */
const withoutReferences = (headers: Headers = {}): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([, header]) => !('$ref' in header)));

const deprecate = (operation: Operation, { since, sunset, instead }: Deprecation): void => {
  operation.deprecated = true;
  const text = `Deprecated since ${since}, and gone from ${sunset} at the earliest. Use ${instead} instead.`;
  operation.description = [operation.description, text].filter(Boolean).join(' ');
};

/** Adds the common answers, headers and default texts to every operation. */
export const withCommonAnswers = (document: OpenAPIObject): OpenAPIObject => {
  const operations = Object.values(document.paths).flatMap(
    (item) => Object.values(item as object) as Operation[],
  );
  const allHeaders: Record<string, object> = { ...HEADERS, ...DEPRECATED };
  for (const operation of operations) {
    if (isPublic(operation)) operation.security = [];
    const { [DEPRECATION]: deprecation } = operation;
    if (deprecation !== undefined) deprecate(operation, deprecation);
    operation.responses = { ...operation.responses, ...refusals(operation) };
    for (const [status, response] of Object.entries(operation.responses)) {
      response.description ||= Number(status) < 400 ? 'Done.' : statusText(Number(status));
      const own = Object.keys(response.headers ?? {});
      Object.assign(allHeaders, withoutReferences(response.headers));
      response.headers = {
        ...headersOf(status, '429' in operation.responses),
        ...(deprecation === undefined ? {} : refer(...Object.keys(DEPRECATED))),
        ...refer(...own),
      };
    }
  }
  return { ...document, components: { ...document.components, headers: allHeaders as never } };
};
