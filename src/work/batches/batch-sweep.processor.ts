import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { BatchEnds } from './batch-ends';
import { OLD_FILES } from './batch-file.repository';
import { BatchQueue } from './batch-queue';
import { BatchLineRepository } from './batch-line.repository';
import { BatchRepository, OLD_BATCHES } from './batch.repository';
import { SweepRows } from '#platform/queue/sweep-rows.repository';

/** Queues owners with due calls, expires and ends batches, and deletes old ones with their files. */
@Injectable()
export class BatchSweepProcessor extends ScheduledProcessor {
  readonly name = 'batches';
  readonly everyMs = 2_000;

  constructor(
    private readonly batches: BatchRepository,
    private readonly lines: BatchLineRepository,
    private readonly ends: BatchEnds,
    private readonly queue: BatchQueue,
    private readonly rows: SweepRows,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.each(
      () => this.ends.cancelWithoutKey(),
      () => this.ends.expire(),
      () => this.ends.endFinished(),
      async () => this.queue.add(await this.lines.dueOwners()),
      () => this.batches.freeFiles(),
      () => this.rows.run(OLD_BATCHES),
      () => this.rows.run(OLD_FILES),
    );
  }
}
