import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';
import type { Job } from 'bullmq';

import { getOrMake } from '#kernel/maps';
import { Outage } from '../background/outage';
import { SCHEDULE, Schedule } from './schedule';
import type { ScheduledProcessor } from './scheduled-processor';

/** The number of concurrent runs. It is higher than the number of processors, so a hanging run delays no other. */
const AT_ONCE = 100;

/** A processor's run in this process. */
interface Run {
  /** Whether the processor became due again during this run. */
  again: boolean;
}

/** Runs the scheduled processor that a job names, never twice at once in one process. */
@Processor(SCHEDULE, { concurrency: AT_ONCE })
export class ScheduleProcessor extends WorkerHost {
  private readonly logger = new Logger('Schedule');
  private readonly runs = new Map<string, Run>();
  private readonly outages = new Map<string, Outage>();

  constructor(private readonly schedule: Schedule) {
    super();
  }

  override async process({ name }: Job): Promise<string | undefined> {
    const processor = this.schedule.processors.get(name);
    // Another version of the service planned a processor that this version does not have.
    if (processor === undefined) return 'This version has no such processor.';
    const running = this.runs.get(name);
    if (running !== undefined) {
      running.again = true;
      return 'The previous run has not ended, and continues.';
    }
    const run = { again: true };
    this.runs.set(name, run);
    try {
      while (run.again && this.worker.closing === undefined) {
        run.again = false;
        await this.run(processor);
      }
    } finally {
      this.runs.delete(name);
    }
    return undefined;
  }

  private async run(processor: ScheduledProcessor): Promise<void> {
    const { name } = processor;
    const outage = getOrMake(this.outages, name, () => new Outage(name, this.logger));
    try {
      await processor.run();
      outage.worked();
    } catch (error) {
      outage.failed(error);
      throw error;
    }
  }
}
