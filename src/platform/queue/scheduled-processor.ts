import { WorkerHost } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';

/**
 * Says when, nothing more: what is due stands in the database, so losing the queue loses no work. Extend it, mark it
 * `@Processor(NAME)`, and import `QueueModule.queue(NAME)`. Ticks come once for all processes together; one that takes
 * longer than `everyMs` may meet the next one in another process, so `run` claims what it works on.
 */
export abstract class ScheduledProcessor extends WorkerHost {
  protected readonly logger = new Logger(this.constructor.name);

  abstract readonly everyMs: number;

  abstract run(): Promise<unknown>;

  override async process(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.error({ err: error }, 'A tick failed; the next one tries again.');
      throw error;
    }
  }
}
