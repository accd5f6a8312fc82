import type { FastifyRequest } from 'fastify';

/** The headers and forms of callers' credentials, which the rails register for code that hides or allows them. */
export interface Credentials {
  /** Names of headers, in lower case. */
  readonly headers: readonly string[];
  /** Secrets in a text: the matches of the first two groups stay. */
  readonly secrets: readonly RegExp[];
}

/** The first of these headers that a request carries. */
export const headerIn = (
  { headers }: Pick<FastifyRequest, 'headers'>,
  names: readonly string[],
): string | undefined => {
  const name = names.find((one) => headers[one] !== undefined);
  return name === undefined ? undefined : String(headers[name]);
};
