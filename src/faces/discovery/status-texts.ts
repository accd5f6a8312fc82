import { getSchemaPath } from '@nestjs/swagger';

/** The texts about each failure in the documents, and on the page of errors. */
export const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'The request is wrong; `param` names the field. Nothing was charged.',
  401: 'No credential, or one that is not valid.',
  402: 'The call must be paid, or the money is too little. Nothing was charged.',
  403: 'Not allowed.',
  404: 'The object does not exist, or is not yours.',
  405: 'The address has no such method.',
  408: 'The body came too slowly.',
  409: 'The request conflicts with the present state.',
  410: 'The object existed, and is no longer available.',
  413: 'The body is larger than this route takes.',
  415: 'The body or the medium is of a type that this route does not take.',
  422: 'Another body has the same idempotency key, or the medium was rejected.',
  429: 'Too many calls; `Retry-After` says how long to wait.',
  451: 'Not available in your region, or not to this wallet.',
  500: 'Something went wrong on our side.',
  502: 'The provider failed. Nothing was charged, or it was refunded.',
  503: 'Not available for the moment; send the same request again.',
};

/** The text about a failure with this status. */
export const statusText = (status: number): string => STATUS_TEXTS[status] ?? 'Failure.';

/**
 * A failure with this status, in our envelope. Without a status, it describes every failure without a description of
 * its own.
 */
export const failureOf = (status: number | undefined) => ({
  description: status === undefined ? 'Any other failure.' : statusText(status),
  content: { 'application/json': { schema: { $ref: getSchemaPath('ErrorAnswer') } } },
});
