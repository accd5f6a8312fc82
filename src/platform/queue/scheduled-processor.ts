import { Logger } from '@nestjs/common';

/**
 * Work that repeats. A provider of this class is all it takes: `Schedule` plans a BullMQ job of its name every `everyMs`,
 * and one process of all takes it. A run that is longer than `everyMs` may meet the next one in another process, so `run`
 * claims what it works on. The database says what is due: losing the queue loses no work.
 */
export abstract class ScheduledProcessor {
  protected readonly logger = new Logger(this.constructor.name);
  /** The name of its job, for operators and for Bull Board: `refund-sweep`. */
  abstract readonly name: string;
  abstract readonly everyMs: number;

  abstract run(): Promise<unknown>;
}
