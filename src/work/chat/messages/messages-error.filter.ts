import { Catch } from '@nestjs/common';

import { ErrorFilter } from '#platform/http/answers/error-filter';
import { asMessagesError } from './messages.wire';

/** Adds the fields that stock clients of Anthropic's Messages expect to the usual envelope of errors. */
@Catch()
export class MessagesErrorFilter extends ErrorFilter {
  protected override bodyOf(envelope: object): object {
    return asMessagesError(envelope);
  }
}
