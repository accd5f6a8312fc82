import type { ErrorCode, ErrorKind } from './error-codes';

/** One change of a body that may make it valid. */
export interface Remedy {
  /** The field, as in `ErrorExtras.param`. */
  readonly param: string;
  /** The right value of the field; undefined removes the field. */
  readonly value?: unknown;
}

export interface ErrorExtras {
  /** The field of the request at fault, as a path such as `messages[2].content`. */
  readonly param?: string;
  /** Further links beside `error` in the answer: `topUp`, `manageKeys`, `signIn`. Every answer has `docs`. */
  readonly links?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** More fields beside `error`, such as a 402's `accepts`. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Changes that may make the body valid, the most probable first. */
  readonly remedies?: readonly Remedy[];
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** A failure that the caller can act on. Any other thrown value is a bug and answers 500. */
export abstract class AppError extends Error {
  abstract readonly kind: ErrorKind;
  abstract readonly code: ErrorCode;
  /** The caller's body with one change. The service has validated the changed body. */
  fix?: unknown;

  constructor(
    message: string,
    readonly extras: ErrorExtras = {},
  ) {
    // An expected error needs no stack trace. The trace would cost a tenth of a 402. A cause keeps its own trace.
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message, { cause: extras.cause });
    Error.stackTraceLimit = limit;
    this.name = new.target.name;
  }
}

export class InvalidRequest extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_REQUEST';
}

export class NotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'NOT_FOUND';
}
