import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Pricer } from '../../billing/calls/pricer';
import { CompletionsPricer, type PricedConversation } from '../completions/completions.pricer';
import type { ResponsesBody } from './responses.dto';
import { toCommon } from './responses.wire';

/** Prices a response like the same conversation at `/v1/chat/completions`. */
@Injectable()
export class ResponsesPricer extends Pricer<ResponsesBody> {
  constructor(private readonly completions: CompletionsPricer) {
    super();
  }

  price(body: ResponsesBody, request: FastifyRequest): PricedConversation {
    const { asked, nameOf } = toCommon(body);
    return this.completions.converse(asked, nameOf, request);
  }

  cheapest(request: FastifyRequest): PricedConversation {
    return this.completions.cheapest(request);
  }
}
