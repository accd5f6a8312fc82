import { defineError } from '#kernel/app-error';
import { INTERNAL } from '#kernel/common-codes';

/**
 * The database can't be reached, or is too busy to answer in time. A statement in flight may or may not have taken
 * effect. Code that moves money therefore checks before it repeats a statement.
 */
export class DatabaseUnavailable extends defineError(
  INTERNAL,
  (cause: unknown) => ({
    message: 'The service is briefly unavailable; send the same call again in a moment.',
    retryAfterSeconds: 1,
    cause,
  }),
  { kind: 'unavailable' },
) {}
