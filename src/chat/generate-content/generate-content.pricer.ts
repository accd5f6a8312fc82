import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Pricer } from '../../billing/calls/pricer';
import { CompletionsPricer, type PricedConversation } from '../completions/completions.pricer';
import type { GenerateContentBody } from './generate-content.dto';
import { askedIn, toCommon } from './generate-content.wire';

/** Prices a call like the same conversation at `/v1/chat/completions`. */
@Injectable()
export class GenerateContentPricer extends Pricer<GenerateContentBody> {
  constructor(private readonly completions: CompletionsPricer) {
    super();
  }

  price(body: GenerateContentBody, request: FastifyRequest): PricedConversation {
    const { asked, nameOf } = toCommon(body, askedIn(request)?.model ?? body.model);
    return this.completions.converse(asked, nameOf, request);
  }

  cheapest(request: FastifyRequest): PricedConversation {
    return this.completions.cheapest(request);
  }
}
