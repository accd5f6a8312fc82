import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { turnsOf } from '#platform/queue/turns';

/** The queue in which an owner has one entry while it has due calls of batches. */
export const BATCHES = 'batches';

/** The owner whose calls are due. Its batches are rows in the database. */
export interface OwnerEntry {
  readonly owner: string;
}

/** Queues owners with due calls. Owners take turns, so no owner's batch delays another owner's. */
@Injectable()
export class BatchQueue {
  private readonly logger = new Logger(BatchQueue.name);

  constructor(@InjectQueue(BATCHES) private readonly queue: Queue<OwnerEntry>) {}

  /** Never fails: if the queue is down, the next sweep adds the owners again. */
  async add(owners: readonly string[]): Promise<void> {
    if (owners.length === 0) return;
    try {
      await this.queue.addBulk(turnsOf(owners, (owner) => ({ owner })));
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not queue owners with due batches; the next sweep retries.');
    }
  }
}
