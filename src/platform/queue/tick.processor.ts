import { setTimeout as pause } from 'node:timers/promises';

import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Job } from 'bullmq';

import { Outage } from '../background/outage';
import { messageOf } from '../database/error-fields';
import { ScheduledProcessor } from './scheduled-processor';
import { runsIn, tickOf } from './tick';

/** The queue of the one schedule that everything regular goes by. */
export const TICKS = 'ticks';

interface Run {
  readonly ended: Promise<void>;
  /** Its time has come once more while it lasts. */
  again: boolean;
}

/**
 * Runs what is to be run in the tick that it takes, and waits for none of it: what hangs holds up nothing but itself,
 * and a process that dies takes no tick with it. What failed is told by the next tick, which fails with it.
 */
@Processor(TICKS)
export class TickProcessor extends WorkerHost {
  private readonly logger = new Logger('Queue');
  private readonly runs = new Map<ScheduledProcessor, Run>();
  private readonly failures = new Map<string, string>();
  private readonly outages = new Map<ScheduledProcessor, Outage>();
  private known?: readonly ScheduledProcessor[];
  private stopping = false;

  constructor(private readonly discovery: DiscoveryService) {
    super();
  }

  override process(job: Job): Promise<void> {
    const tick = tickOf(job);
    for (const processor of (this.known ??= this.find())) {
      for (const milliseconds of runsIn(tick, processor.everyMs)) {
        if (milliseconds === 0) this.run(processor);
        else setTimeout(() => this.run(processor), milliseconds).unref();
      }
    }
    const failures = [...this.failures].map(([name, reason]) => `${name}: ${reason}`);
    this.failures.clear();
    return failures.length === 0 ? Promise.resolve() : Promise.reject(new Error(failures.join('; ')));
  }

  /** Begins no more, and waits for what runs; what is cut off is done by others. */
  async end(withinMs: number): Promise<void> {
    this.stopping = true;
    const ended = [...this.runs.values()].map((run) => run.ended);
    await Promise.race([Promise.all(ended), pause(withinMs, undefined, { ref: false })]);
  }

  /** Never twice at once; one that took until its next run goes on at once. */
  private run(processor: ScheduledProcessor): void {
    if (this.stopping) return;
    const running = this.runs.get(processor);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const run: Run = { ended: this.tried(processor).then(() => this.ended(processor, run)), again: false };
    this.runs.set(processor, run);
  }

  private ended(processor: ScheduledProcessor, { again }: Run): void {
    this.runs.delete(processor);
    if (again) this.run(processor);
  }

  private async tried(processor: ScheduledProcessor): Promise<void> {
    const outage = this.outages.get(processor) ?? new Outage(processor.name, this.logger);
    this.outages.set(processor, outage);
    try {
      await processor.run();
      outage.worked();
    } catch (error) {
      outage.failed(error);
      this.failures.set(processor.name, messageOf(error));
    }
  }

  private find(): readonly ScheduledProcessor[] {
    return this.discovery
      .getProviders()
      .map(({ instance }: { instance: unknown }) => instance)
      .filter((instance) => instance instanceof ScheduledProcessor);
  }
}
