import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';

import { type HostTurn, WEBHOOKS, WebhookBell } from './webhook-bell';
import { WebhookLanes } from './webhook-lanes';

/** Hosts that one process brings deliveries to at once. Most of a turn is waiting, for hosts that are slow or dead. */
const HOSTS_MAX = 200;

/** Gives each host that something is due for its turn. */
@Processor(WEBHOOKS, { concurrency: HOSTS_MAX })
export class WebhooksProcessor extends WorkerHost {
  constructor(
    private readonly lanes: WebhookLanes,
    private readonly bell: WebhookBell,
  ) {
    super();
  }

  override async process({ data: { host } }: Job<HostTurn>): Promise<void> {
    if (await this.lanes.drive(host)) await this.bell.ring([host]);
  }
}
