import { Injectable } from '@nestjs/common';

import { ChannelTerms } from '../rails/channel/channel-terms';
import type { PayableRoute } from '../rails/payable-call';

/** Whether a caller without a credential can pay a route now, and therefore needs its price. */
@Injectable()
export class PayableByAnybody {
  constructor(private readonly channels: ChannelTerms) {}

  mayPay({ rails }: PayableRoute): boolean {
    return (
      rails === undefined || rails.includes('x402') || (rails.includes('channel') && this.channels.isOffered)
    );
  }

  /** Whether the route may be payable by channel, but the service does not know yet because its node gave no answer. */
  isUncertain({ rails }: PayableRoute): boolean {
    return rails?.includes('channel') === true && this.channels.isUncertain;
  }
}
