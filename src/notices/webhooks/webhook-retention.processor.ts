import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { OLD_DELIVERIES, STRAY_DELIVERIES } from './webhook-delivery.repository';
import { ENDED_ENDPOINTS } from './webhook-endpoint.repository';
import { OLD_TRIES, STRAY_TRIES } from './webhook-try.repository';
import { SweepRows } from '#platform/queue/sweep-rows.repository';

/** Deletes endpoints of expired keys, ends deliveries without a receiver, and deletes deliveries with their events. */
@Injectable()
export class WebhookRetentionProcessor extends ScheduledProcessor {
  readonly name = 'webhook-retention';
  readonly everyMs = 30_000;

  constructor(private readonly rows: SweepRows) {
    super();
  }

  async run(): Promise<void> {
    const steps = [ENDED_ENDPOINTS, STRAY_DELIVERIES, OLD_DELIVERIES, OLD_TRIES, STRAY_TRIES];
    await this.each(...steps.map((step) => () => this.rows.run(step)));
  }
}
