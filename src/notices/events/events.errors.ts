import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';
import { EVENT_DAYS } from '#notices/outbox/event-retention';
import { RATE_LIMITED } from '#platform/http/limits/limits.errors';

export const CursorExpired = defineError(
  errorCode('CURSOR_EXPIRED', 'gone', {
    means: 'The cursor is older than the kept events.',
    remedy: 'Read without a cursor, and check your jobs and your balance for missed changes.',
  }),
  `This cursor is older than ${EVENT_DAYS} days, and older events are deleted. Read without a cursor, and check for missed changes.`,
  { param: 'after' },
);

export const TooManyStreams = defineError(
  RATE_LIMITED,
  (max: number, whose: string) =>
    `At most ${max} streams and waits at a time ${whose}. End one, or follow more in one stream.`,
  { retryAfterSeconds: 5 },
);
