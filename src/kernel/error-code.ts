/** The kind of a failure, in the caller's terms. The error filter has the only table of statuses by kind. */
export type ErrorKind =
  | 'invalid_request'
  | 'unauthenticated'
  | 'payment_required'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_slow'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'unsupported_media'
  | 'mismatch'
  | 'unprocessable'
  | 'media_rejected'
  | 'policy_blocked'
  | 'rate_limited'
  | 'full'
  | 'region'
  | 'provider'
  | 'unavailable'
  | 'not_sold'
  | 'internal';

interface CodeFacts {
  readonly means: string;
  readonly remedy: string;
}

export interface ErrorCode<Kind extends ErrorKind = ErrorKind> extends CodeFacts {
  readonly code: string;
  /** The possible kinds of an error with this code, the usual one first. They determine its statuses. */
  readonly kinds: readonly [Kind, ...Kind[]];
}

const declared = new Map<string, ErrorCode>();

/**
 * Declares a code, with its meaning and remedy. The page of errors lists every declared code, and each error answer
 * links to its entry there. Details of a call are in the message of the error.
 */
export const errorCode = <const Kind extends ErrorKind>(
  code: string,
  kinds: Kind | readonly [Kind, ...Kind[]],
  { means, remedy }: CodeFacts,
): ErrorCode<Kind> => {
  if (declared.has(code)) throw new Error(`Two files declare the error code ${code}.`);
  const made = { code, kinds: typeof kinds === 'string' ? ([kinds] as const) : kinds, means, remedy };
  declared.set(code, made);
  return made;
};

export const errorCodeNamed = (code: string): ErrorCode | undefined => declared.get(code);

/** Every code that a loaded file declares, by name. */
export const errorCodes = (): readonly ErrorCode[] =>
  [...declared.values()].sort((one, other) => (one.code < other.code ? -1 : 1));

/** The page of a code, relative to the address of a service. */
export const docsOf = (publicUrl: string, code: string): string => `${publicUrl}/guides/errors#${code}`;
