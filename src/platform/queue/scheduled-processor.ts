import { Logger } from '@nestjs/common';

/**
 * Work that is done again and again. To provide one is all it takes: `Ticks` finds it. It is run once in `everyMs` for
 * all processes together; one that takes longer may meet its next run in another process, so `run` claims what it works
 * on. What is due stands in the database: losing the queue loses no work.
 */
export abstract class ScheduledProcessor {
  protected readonly logger = new Logger(this.constructor.name);

  /** What operators read when it fails. */
  abstract readonly name: string;
  abstract readonly everyMs: number;

  abstract run(): Promise<unknown>;
}
