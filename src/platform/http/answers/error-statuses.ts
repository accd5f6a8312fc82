import type { ErrorCode, ErrorKind } from '#kernel/error-code';

/** The HTTP form of an error. */
export interface ErrorStatus {
  readonly status: number;
  readonly type: string;
  /** Whether the same request may succeed later without a change. Stock SDKs read it from `x-should-retry`. */
  readonly retryable: boolean;
}

/** The only table from error kinds to HTTP statuses. */
export const ANSWERS: Readonly<Record<ErrorKind, ErrorStatus>> = {
  invalid_request: { status: 400, type: 'invalid_request_error', retryable: false },
  unauthenticated: { status: 401, type: 'authentication_error', retryable: false },
  payment_required: { status: 402, type: 'payment_required', retryable: false },
  forbidden: { status: 403, type: 'permission_error', retryable: false },
  not_found: { status: 404, type: 'not_found', retryable: false },
  method_not_allowed: { status: 405, type: 'invalid_request_error', retryable: false },
  too_slow: { status: 408, type: 'invalid_request_error', retryable: true },
  conflict: { status: 409, type: 'conflict', retryable: false },
  gone: { status: 410, type: 'conflict', retryable: false },
  too_large: { status: 413, type: 'invalid_request_error', retryable: false },
  unsupported_media: { status: 415, type: 'invalid_request_error', retryable: false },
  unprocessable: { status: 422, type: 'invalid_request_error', retryable: false },
  mismatch: { status: 422, type: 'conflict', retryable: false },
  media_rejected: { status: 422, type: 'policy_violation', retryable: false },
  policy_blocked: { status: 400, type: 'policy_violation', retryable: false },
  rate_limited: { status: 429, type: 'rate_limited', retryable: true },
  full: { status: 429, type: 'rate_limited', retryable: false },
  region: { status: 451, type: 'region_unavailable', retryable: false },
  provider: { status: 502, type: 'provider_error', retryable: true },
  unavailable: { status: 503, type: 'unavailable', retryable: true },
  not_sold: { status: 503, type: 'unavailable', retryable: false },
  internal: { status: 500, type: 'internal_error', retryable: true },
};

/** The possible answers with this code: one for each kind that the code may have. */
export const answersWith = ({ kinds }: ErrorCode): readonly ErrorStatus[] =>
  kinds.map((kind) => ANSWERS[kind]);
