import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { WebhookDeliveryRepository } from './webhook-delivery.repository';
import { WebhookEndpointRepository } from './webhook-endpoint.repository';
import { WebhookTryRepository } from './webhook-try.repository';

const BATCH = 2_000;

/** Deletes endpoints of expired keys, ends deliveries without a receiver, and deletes deliveries with their events. */
@Injectable()
export class WebhookRetentionProcessor extends ScheduledProcessor {
  readonly name = 'webhook-retention';
  readonly everyMs = 30_000;

  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly tries: WebhookTryRepository,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.endpoints.removeEnded();
    await this.deliveries.settleStray(BATCH);
    while ((await this.deliveries.prune(BATCH)) === BATCH);
    while ((await this.tries.prune(BATCH)) >= BATCH);
  }
}
