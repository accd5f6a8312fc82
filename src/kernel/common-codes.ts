import { errorCode } from './error-code';

// The codes that errors of several features have. The files of other errors declare the other codes.

export const INVALID_REQUEST = errorCode('INVALID_REQUEST', 'invalid_request', {
  means: 'A field, a header or the body itself is wrong. `param` names it.',
  remedy:
    'Change what the message names. If one change is enough, `fix` is your body with that change: send it unchanged.',
});

export const NOT_FOUND = errorCode('NOT_FOUND', 'not_found', {
  means:
    'There is nothing at this address or with this id, or it is not yours. Unpaid work gets the same answer.',
  remedy: 'Check the spelling. Ids of other owners and unknown ids get the same answer.',
});

export const PAYLOAD_TOO_LARGE = errorCode('PAYLOAD_TOO_LARGE', ['too_large', 'invalid_request'], {
  means:
    'The body is larger than this route takes (413), or one file is larger than its field takes (400, with `param`).',
  remedy: 'Make it smaller, or name the file by its address.',
});

export const UNSUPPORTED_MEDIA = errorCode('UNSUPPORTED_MEDIA', 'unsupported_media', {
  means: 'The body is no JSON, or the file is of an unsupported kind.',
  remedy:
    'Send `content-type: application/json` and UTF-8. Images are PNG, JPEG, WebP, GIF or AVIF; videos MP4, MOV or WebM.',
});

export const PROVIDER_UNAVAILABLE = errorCode('PROVIDER_UNAVAILABLE', 'unavailable', {
  means:
    'A part that the call needs does not answer: a model, a store, or room for large bodies. Nothing was charged, or it is still unknown whether the work was accepted.',
  remedy: 'Send the very same call again after `Retry-After`, with the same `Idempotency-Key` or payment.',
});

export const INTERNAL = errorCode('INTERNAL', ['internal', 'unavailable'], {
  means: 'The service failed (500), or a part of it is unavailable for a moment (503).',
  remedy: 'Send the same call again. If the error remains, send the `requestId` to the operator.',
});

export const IDEMPOTENCY_MISMATCH = errorCode('IDEMPOTENCY_MISMATCH', ['mismatch', 'conflict'], {
  means: 'This `Idempotency-Key` (422) or `payment-identifier` (409) was used for another call before.',
  remedy: 'Use a new one for a new call. To repeat the old call, send the very same body.',
});

export const REPLAY_EXPIRED = errorCode('REPLAY_EXPIRED', 'gone', {
  means: 'This call was answered and charged before, and its answer is no longer kept.',
  remedy:
    '`X-Charge-Id` leads to the receipt. To make it again, use a new idempotency key: that is a new charge.',
});
