import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { BatchEnds } from './batch-ends';
import { BatchFileRepository } from './batch-file.repository';
import { BatchQueue } from './batch-queue';
import { BatchRepository } from './batch.repository';

const PRUNED = 100;

/** Queues owners with due calls, expires and ends batches, and deletes old ones with their files. */
@Injectable()
export class BatchSweepProcessor extends ScheduledProcessor {
  readonly name = 'batches';
  readonly everyMs = 2_000;

  constructor(
    private readonly batches: BatchRepository,
    private readonly files: BatchFileRepository,
    private readonly ends: BatchEnds,
    private readonly queue: BatchQueue,
  ) {
    super();
  }

  async run(): Promise<void> {
    for (const id of await this.batches.withoutKey()) await this.batches.cancel(id);
    await this.ends.expire();
    await this.ends.endFinished();
    await this.queue.add(await this.batches.dueOwners());
    while ((await this.batches.prune(PRUNED)) === PRUNED);
    while ((await this.files.prune(PRUNED)) === PRUNED);
  }
}
