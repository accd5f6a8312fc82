import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';
import { RATE_LIMITED } from '../limits/limits.errors';

export const METHOD_NOT_ALLOWED = errorCode('METHOD_NOT_ALLOWED', 'method_not_allowed', {
  means: 'The address is right, its method is not.',
  remedy: 'Use one of the header `Allow`.',
});

export const MethodNotAllowed = defineError(METHOD_NOT_ALLOWED, (methods: readonly string[]) => ({
  message: `This address takes ${methods.join(', ')}.`,
  headers: { allow: methods.join(', ') },
}));

// The codes of Nest's exceptions, which any module may throw.

export const UNAUTHORIZED = errorCode('UNAUTHORIZED', 'unauthenticated', {
  means: 'A module of this operator needs a credential.',
  remedy: 'The message names it.',
});

export const FORBIDDEN = errorCode('FORBIDDEN', 'forbidden', {
  means: 'A module of this operator does not allow this call.',
  remedy: 'The message explains it. A retry does not help.',
});

export const CONFLICT = errorCode('CONFLICT', 'conflict', {
  means: 'A module of this operator can’t do this in the present state.',
  remedy: 'The message names the conflict.',
});

export const GONE = errorCode('GONE', 'gone', {
  means: 'A module of this operator no longer has this object.',
  remedy: 'Ask for something else.',
});

export const UNPROCESSABLE = errorCode('UNPROCESSABLE', 'unprocessable', {
  means: 'A module of this operator understands the call but can’t carry it out.',
  remedy: 'Change what the message names.',
});

export const UNAVAILABLE = errorCode('UNAVAILABLE', 'unavailable', {
  means: 'A module of this operator is unavailable for the moment.',
  remedy: 'Send the call again later.',
});

export const REQUEST_FAILED = errorCode('REQUEST_FAILED', ['invalid_request', 'internal'], {
  means: 'A module of this operator refuses the call with its own status.',
  remedy: 'The status and the message explain it.',
});

export const ExportRuns = defineError(
  RATE_LIMITED,
  'Another export of yours is running. Wait until it has ended, then send this again.',
  { retryAfterSeconds: 5 },
);
