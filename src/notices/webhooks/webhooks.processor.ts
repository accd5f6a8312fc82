import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';

import { type HostEntry, WEBHOOKS, WebhookHostQueue } from './webhook-host-queue';
import { WebhookHostWorker } from './webhook-host-worker';

/** Hosts that one process sends to at once. A worker mostly waits for slow or dead hosts. */
const HOSTS_MAX = 200;

/** Runs one host worker for each queued host. */
@Processor(WEBHOOKS, { concurrency: HOSTS_MAX })
export class WebhooksProcessor extends WorkerHost {
  constructor(
    private readonly hostWorker: WebhookHostWorker,
    private readonly hosts: WebhookHostQueue,
  ) {
    super();
  }

  override async process({ data: { host } }: Job<HostEntry>): Promise<void> {
    if (await this.hostWorker.run(host)) await this.hosts.add([host]);
  }
}
