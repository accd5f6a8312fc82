import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { WebhookHostQueue } from './webhook-host-queue';
import { WebhookDeliveryRepository } from './webhook-delivery.repository';
import { WebhookFanOut } from './webhook-fan-out';

/** Queues hosts whose deliveries became due, or whose queue entry, notification or process was lost. */
@Injectable()
export class WebhookSweepProcessor extends ScheduledProcessor {
  readonly name = 'webhooks';
  readonly everyMs = 2_000;

  constructor(
    private readonly fanOut: WebhookFanOut,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly hosts: WebhookHostQueue,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.fanOut.run();
    const due = await this.deliveries.dueHosts();
    if (due.length > 0) await this.hosts.failStuck();
    await this.hosts.add(due);
  }
}
