import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { WebhookDeliveryRepository } from './webhook-delivery.repository';

const BATCH = 2_000;

/** Forgets deliveries with the events that they have brought. */
@Injectable()
export class WebhookRetentionProcessor extends ScheduledProcessor {
  readonly name = 'webhook-retention';
  readonly everyMs = 30_000;

  constructor(private readonly deliveries: WebhookDeliveryRepository) {
    super();
  }

  async run(): Promise<void> {
    while ((await this.deliveries.prune(BATCH)) === BATCH);
  }
}
