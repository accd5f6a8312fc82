import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../../platform/queue/scheduled-processor';
import { ChannelClaims } from '../rails/channel/channel-claims';

/** Claims what payment channels owe, as soon as it is due. */
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
