import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';

import { BATCHES, BatchQueue, type OwnerEntry } from './batch-queue';
import { BatchWorker } from './batch-worker';

/** Owners whose calls one process runs at once. Callers who wait for an answer need the rest of the process. */
const OWNERS_MAX = 4;

/** Gives each queued owner a turn. */
@Processor(BATCHES, { concurrency: OWNERS_MAX })
export class BatchesProcessor extends WorkerHost {
  constructor(
    private readonly batchWorker: BatchWorker,
    private readonly queue: BatchQueue,
  ) {
    super();
  }

  override async process({ data: { owner } }: Job<OwnerEntry>): Promise<void> {
    if (await this.batchWorker.run(owner)) await this.queue.add([owner]);
  }
}
