import { Catch } from '@nestjs/common';

import { ErrorFilter } from '#platform/http/answers/error-filter';

/** Google's words for the types of our errors. */
const STATUSES: Readonly<Record<string, string>> = {
  invalid_request_error: 'INVALID_ARGUMENT',
  authentication_error: 'UNAUTHENTICATED',
  payment_required: 'FAILED_PRECONDITION',
  permission_error: 'PERMISSION_DENIED',
  not_found: 'NOT_FOUND',
  rate_limited: 'RESOURCE_EXHAUSTED',
  unavailable: 'UNAVAILABLE',
  internal_error: 'INTERNAL',
};

/** Google's word for the status of an error. */
export const statusOf = ({ type }: { readonly type: string }): string | undefined => STATUSES[type];

/** Adds Google's word for the status to the usual envelope of errors. */
@Catch()
export class GenerateContentErrorFilter extends ErrorFilter {
  protected override bodyOf(envelope: object): object {
    const { error } = envelope as { readonly error: { readonly type: string } };
    const status = statusOf(error);
    return status === undefined ? envelope : { ...envelope, error: { ...error, status } };
  }
}
