import { Catch } from '@nestjs/common';

import { ErrorFilter } from '../../platform/http/answers/error-filter';
import { asMessagesError } from './messages.wire';

/** The one envelope, with the fields that stock clients of Messages expect. */
@Catch()
export class MessagesErrorFilter extends ErrorFilter {
  protected override bodyOf(envelope: object): object {
    return asMessagesError(envelope);
  }
}
