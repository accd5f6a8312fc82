import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { ChannelClaims } from '../rails/channel/channel-claims';

/** Claims the debts of payment channels as soon as claims are due. */
@Injectable()
export class ChannelClaimsProcessor extends ScheduledProcessor {
  readonly name = 'channel-claims';
  readonly everyMs = 10_000;

  constructor(private readonly claims: ChannelClaims) {
    super();
  }

  run(): Promise<void> {
    return this.claims.run();
  }
}
