import type { OpenAPIObject } from '@nestjs/swagger';

type Headers = Readonly<Record<string, object>>;

interface Response {
  description?: string;
  headers?: Headers;
}

const header = (description: string, schema: object): object => ({ description, schema });

/** What the ground below the routes sends with their answers; said once, and referred to by every answer. */
const HEADERS: Headers = {
  'X-Request-Id': header('Tell us this id when something went wrong.', { type: 'string' }),
  'RateLimit-Limit': header('How many such calls a minute may hold.', { type: 'integer', minimum: 1 }),
  'RateLimit-Remaining': header('How many of them are left.', { type: 'integer', minimum: 0 }),
  'RateLimit-Reset': header('In how many seconds the next minute begins.', { type: 'integer', minimum: 1 }),
  'Retry-After': header('How many seconds to wait.', { type: 'integer', minimum: 1 }),
  'x-should-retry': header('Whether the same request may succeed later; stock clients obey it.', {
    type: 'string',
    enum: ['true', 'false'],
  }),
};

const refer = (...names: readonly string[]): Headers =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const LIMIT = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

const headersOf = (status: number, isLimited: boolean): Headers =>
  refer(
    'X-Request-Id',
    ...(isLimited && (status < 400 || status === 429) ? LIMIT : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(status >= 400 ? ['x-should-retry'] : []),
  );

/** Adds to every answer the headers that no route has to think of, and a word where a route said nothing. */
export const withCommonHeaders = (document: OpenAPIObject): OpenAPIObject => {
  const operations = Object.values(document.paths).flatMap(
    (item) => Object.values(item as object) as unknown[],
  );
  for (const { responses } of operations as { responses: Record<string, Response> }[]) {
    for (const [status, response] of Object.entries(responses)) {
      response.description ||= 'Done.';
      response.headers = { ...headersOf(Number(status), '429' in responses), ...response.headers };
    }
  }
  return { ...document, components: { ...document.components, headers: HEADERS as never } };
};
