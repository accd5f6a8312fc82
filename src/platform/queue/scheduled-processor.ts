import { Logger } from '@nestjs/common';

/**
 * Repeated work. A provider of this class is enough: `Schedule` plans a BullMQ job with its name every `everyMs`, and
 * one process at a time runs it. A run that is longer than `everyMs` may overlap with the next one in another process,
 * so `run` must claim its work. The database holds the due work, so a lost queue loses nothing.
 */
export abstract class ScheduledProcessor {
  protected readonly logger = new Logger(this.constructor.name);
  /** The name of its job, for operators and for Bull Board, such as `refund-sweep`. */
  abstract readonly name: string;
  abstract readonly everyMs: number;

  abstract run(): Promise<unknown>;
}
