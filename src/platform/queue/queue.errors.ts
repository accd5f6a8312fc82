import { defineError } from '#kernel/app-error';
import { INTERNAL } from '#kernel/common-codes';

/** The backend of the queues can't be reached, or is too busy to answer in time. */
export class QueueUnavailable extends defineError(
  INTERNAL,
  (cause?: unknown) => ({
    message: 'The queues do not answer; try again in a moment.',
    retryAfterSeconds: 5,
    cause,
  }),
  { kind: 'unavailable' },
) {}
