import type { FastifyRequest } from 'fastify';

/** The headers and patterns of callers' credentials. The rails register them for code that hides or allows them. */
export interface Credentials {
  /** Names of headers, in lower case. */
  readonly headers: readonly string[];
  /** Patterns of secrets in a text. The matches of the first two groups are kept. */
  readonly secrets: readonly RegExp[];
}

/** The first of these headers that a request has. */
export const headerIn = (
  { headers }: Pick<FastifyRequest, 'headers'>,
  names: readonly string[],
): string | undefined => {
  const name = names.find((one) => headers[one] !== undefined);
  return name === undefined ? undefined : String(headers[name]);
};
