import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Pricer } from '../../billing/calls/pricer';
import { CompletionsPricer, type PricedConversation } from '../completions/completions.pricer';
import type { MessagesBody } from './messages.dto';
import { toCommon } from './messages.wire';

/** Prices a message like the same conversation at `/v1/chat/completions`. */
@Injectable()
export class MessagesPricer extends Pricer<MessagesBody> {
  constructor(private readonly completions: CompletionsPricer) {
    super();
  }

  price(body: MessagesBody, request: FastifyRequest): PricedConversation {
    const { asked, nameOf } = toCommon(body);
    return this.completions.converse(asked, nameOf, request);
  }

  cheapest(request: FastifyRequest): PricedConversation {
    return this.completions.cheapest(request);
  }
}
