import { Catch } from '@nestjs/common';

import { ErrorFilter } from '#platform/http/answers/error-filter';

/** OpenAI's own code of a conversation that is too long. Agents shorten a conversation only after this code. */
const TOO_LONG = 'context_length_exceeded';

/** Gives the usual envelope of errors the codes that stock clients of OpenAI know. */
export const asOpenaiError = (envelope: object): object => {
  const { error } = envelope as { readonly error?: { readonly code?: string } };
  return error?.code === 'CONTEXT_TOO_LONG' ? { ...envelope, error: { ...error, code: TOO_LONG } } : envelope;
};

@Catch()
export class OpenaiErrorFilter extends ErrorFilter {
  protected override bodyOf(envelope: object): object {
    return asOpenaiError(envelope);
  }
}
