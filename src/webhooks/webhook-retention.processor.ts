import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { WebhookDeliveryRepository } from './webhook-delivery.repository';

const BATCH = 2_000;

/** Ends deliveries that nobody waits for, and forgets them with the events that they have brought. */
@Injectable()
export class WebhookRetentionProcessor extends ScheduledProcessor {
  readonly name = 'webhook-retention';
  readonly everyMs = 30_000;

  constructor(private readonly deliveries: WebhookDeliveryRepository) {
    super();
  }

  async run(): Promise<void> {
    await this.deliveries.settleStray(BATCH);
    while ((await this.deliveries.prune(BATCH)) === BATCH);
  }
}
