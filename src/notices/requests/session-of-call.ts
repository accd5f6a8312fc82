import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

import { isFields } from '#kernel/json';

const NAME_CHARS_MAX = 1_000;
const HASH_CHARS = 20;

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= NAME_CHARS_MAX ? value : undefined;

/** The names that agents give to their sessions: Codex and OpenAI's clients the first, Claude Code the second. */
const namedIn = (body: unknown): string | undefined => {
  if (!isFields(body)) return undefined;
  const { prompt_cache_key: key, metadata } = body;
  return textIn(key) ?? (isFields(metadata) ? textIn(metadata['user_id']) : undefined);
};

/**
 * The session that a call belongs to, by the header `X-Session` or by its body. It is a hash: the same name of another
 * owner is another session, and the log does not store the name.
 */
export const sessionOfCall = (request: FastifyRequest, owner: string): string | undefined => {
  const name = textIn(request.headers['x-session']) ?? namedIn(request.body);
  if (name === undefined) return undefined;
  const hash = createHash('sha256').update(`${owner}\n${name}`).digest('base64url');
  return `ss_${hash.slice(0, HASH_CHARS)}`;
};
