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
    const steps = [
      () => this.ends.cancelWithoutKey(),
      () => this.ends.expire(),
      () => this.ends.endFinished(),
      async () => this.queue.add(await this.batches.dueOwners()),
      () => this.batches.freeFiles(),
      () => this.prune(),
    ];
    // A step that fails holds up no other step.
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  private async prune(): Promise<void> {
    while ((await this.batches.prune(PRUNED)) === PRUNED);
    while ((await this.files.prune(PRUNED)) === PRUNED);
  }
}
