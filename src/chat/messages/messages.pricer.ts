import { Injectable } from '@nestjs/common';

import { Pricer } from '../../billing/calls/pricer';
import { CompletionsPricer, type PricedConversation } from '../completions/completions.pricer';
import type { MessagesBody } from './messages.dto';
import { toCommon } from './messages.wire';

/** Prices a message as the conversation that it is. */
@Injectable()
export class MessagesPricer extends Pricer<MessagesBody> {
  constructor(private readonly completions: CompletionsPricer) {
    super();
  }

  price(body: MessagesBody): PricedConversation {
    const { asked, nameOf } = toCommon(body);
    return this.completions.converse(asked, nameOf);
  }

  cheapest(): PricedConversation {
    return this.completions.cheapest();
  }
}
