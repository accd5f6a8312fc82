import { INVALID_REQUEST, NOT_FOUND } from './common-codes';
import type { ErrorCode, ErrorKind } from './error-code';

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

/** The kind is given if it is not the usual one of the code. */
type OfKind<Kind extends ErrorKind> = ErrorExtras & { readonly kind?: Kind };

/** A failure that the caller can act on. Any other thrown value is a bug and answers 500. */
export abstract class AppError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  /** The caller's body with one change. The service has validated the changed body. */
  fix?: unknown;

  constructor(
    { code, kinds }: ErrorCode,
    message: string,
    readonly extras: OfKind<ErrorKind> = {},
  ) {
    // An expected error needs no stack trace. The trace would cost a tenth of a 402. A cause keeps its own trace.
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message, { cause: extras.cause });
    Error.stackTraceLimit = limit;
    this.name = new.target.name;
    this.code = code;
    this.kind = extras.kind ?? kinds[0];
  }
}

type ErrorClass<Args extends readonly unknown[]> = new (...args: Args) => AppError;
type Text<Args extends readonly unknown[]> = (
  ...args: Args
) => string | (ErrorExtras & { readonly message: string });

/** `too_slow` and `TOO_SLOW` are `TooSlow` in logs. */
const classNameOf = (code: string): string =>
  code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Makes the class of an error from its code and its text. The text may depend on the arguments of the constructor, and
 * so may the extras. Without a text, the code that throws the error gives both. An error that code catches by its type
 * is a class with a name that extends this one.
 */
export function defineError<Kind extends ErrorKind>(
  code: ErrorCode<Kind>,
): ErrorClass<[message: string, extras?: OfKind<NoInfer<Kind>>]>;
export function defineError<Kind extends ErrorKind>(
  code: ErrorCode<Kind>,
  text: string,
  extras?: OfKind<NoInfer<Kind>>,
): ErrorClass<[]>;
export function defineError<Kind extends ErrorKind, Args extends readonly unknown[]>(
  code: ErrorCode<Kind>,
  text: Text<Args>,
  extras?: OfKind<NoInfer<Kind>>,
): ErrorClass<Args>;
export function defineError(
  code: ErrorCode,
  text: string | Text<never[]> = (message: string, extras?: ErrorExtras) => ({
    message,
    ...extras,
  }),
  fixed: OfKind<ErrorKind> = {},
): ErrorClass<never[]> {
  const Defined = class extends AppError {
    constructor(...args: never[]) {
      const made = typeof text === 'string' ? text : text(...args);
      if (typeof made === 'string') {
        super(code, made, fixed);
      } else {
        const { message, ...extras } = made;
        super(code, message, { ...fixed, ...extras });
      }
    }
  };
  Object.defineProperty(Defined, 'name', { value: classNameOf(code.code) });
  return Defined;
}

export class InvalidRequest extends defineError(INVALID_REQUEST) {}

export class NotFound extends defineError(NOT_FOUND) {}
