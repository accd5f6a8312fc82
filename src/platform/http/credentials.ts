import type { FastifyRequest } from 'fastify';

/** How the credentials of callers are carried, and what they look like: told by the rails, for whoever hides or allows them. */
export interface Credentials {
  /** Names of headers, in lower case. */
  readonly headers: readonly string[];
  /** Secrets as they look in a text: what the first two groups match stays. */
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
