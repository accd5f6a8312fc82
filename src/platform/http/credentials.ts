import type { FastifyRequest } from 'fastify';

/**
 * The headers and patterns of callers' credentials, which features register. Other code hides these secrets, or allows
 * these headers.
 */
export interface Credentials {
  /** Names of headers, in lower case. */
  readonly headers: readonly string[];
  /** Patterns of secrets in a text. The first two groups of a match are no secrets and stay in the text. */
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
