import { defineError } from '#kernel/app-error';
import { INTERNAL } from '#kernel/common-codes';

/** The process is shutting down, and ended the stream before its answer was complete. */
export const ServiceRestarts = defineError(
  INTERNAL,
  (cause: unknown) => ({
    message: 'The service restarts and has ended this stream. Nothing was charged; send the same call again.',
    retryAfterSeconds: 1,
    cause,
  }),
  { kind: 'unavailable' },
);
