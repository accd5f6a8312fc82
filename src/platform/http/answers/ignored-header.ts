import type { FastifyReply } from 'fastify';

/** Proxies limit the headers of an answer. */
const IGNORED_CHARS_MAX = 1_000;

/** Names the fields of a body that had no effect, in the header `X-Ignored`. */
export const showIgnored = (reply: FastifyReply, paths: Iterable<string>): void => {
  let named = '';
  for (const path of paths) {
    const longer = named === '' ? path : `${named}, ${path}`;
    if (longer.length > IGNORED_CHARS_MAX) break;
    named = longer;
  }
  if (named !== '') void reply.header('X-Ignored', named);
};
