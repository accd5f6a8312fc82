import { Injectable } from '@nestjs/common';

import { Pricer } from '../../billing/calls/pricer';
import { CompletionsPricer, type PricedConversation } from '../completions/completions.pricer';
import type { ResponsesBody } from './responses.dto';
import { toCommon } from './responses.wire';

/** Prices a response as the conversation that it is. */
@Injectable()
export class ResponsesPricer extends Pricer<ResponsesBody> {
  constructor(private readonly completions: CompletionsPricer) {
    super();
  }

  price(body: ResponsesBody): PricedConversation {
    const { asked, nameOf } = toCommon(body);
    return this.completions.converse(asked, nameOf);
  }

  cheapest(): PricedConversation {
    return this.completions.cheapest();
  }
}
