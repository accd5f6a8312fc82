import { Logger } from '@nestjs/common';

/**
 * Repeated work. A module only has to provide a subclass: `Schedule` plans a BullMQ job with its name every `everyMs`,
 * and one process takes each job. If a run takes longer than `everyMs`, the next run may overlap with it in another
 * process, so `run` must claim its work. The database has the due work, so a lost queue loses no work.
 */
export abstract class ScheduledProcessor {
  protected readonly logger = new Logger(this.constructor.name);
  /** The name of the job, such as `refund-sweep`. Operators and Bull Board show it. */
  abstract readonly name: string;
  abstract readonly everyMs: number;

  abstract run(): Promise<unknown>;

  /** Runs all steps. A step that fails holds up no other; its error is thrown at the end. */
  protected async each(...steps: readonly (() => Promise<unknown>)[]): Promise<void> {
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
