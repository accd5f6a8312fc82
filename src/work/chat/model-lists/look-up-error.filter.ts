import { Catch } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { ErrorFilter } from '#platform/http/answers/error-filter';
import { asMessagesError } from '../messages/messages.wire';

export const VERSION = 'anthropic-version';

/** Adds the fields that stock clients of Anthropic expect, for callers with its header. */
@Catch()
export class LookUpErrorFilter extends ErrorFilter {
  protected override bodyOf(envelope: object, { headers }: FastifyRequest): object {
    return headers[VERSION] === undefined ? envelope : asMessagesError(envelope);
  }
}
