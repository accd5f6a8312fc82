import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Queue } from 'bullmq';

import { ScheduledProcessor } from './scheduled-processor';

/** The queue of all repeated work. */
export const SCHEDULE = 'schedule';

/**
 * A job that is this late is lost: somebody emptied the queue, or BullMQ could not write the next run. BullMQ then
 * plans no further run and due work waits, so this time is short.
 */
const LATE_MS = 10_000;
/**
 * A job that is planned this far ahead comes from a process with a wrong clock. Without a new plan, due work would wait
 * until that time.
 */
const EARLY_MS = 60_000;
const SCHEDULERS_MAX = 1_000;
/** A failed run is not retried, because the next run does the same work. */
const OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: 100 };

/** All scheduled processors by name, and BullMQ's job schedulers that plan their runs. */
@Injectable()
export class Schedule {
  private known?: ReadonlyMap<string, ScheduledProcessor>;

  constructor(
    private readonly discovery: DiscoveryService,
    @InjectQueue(SCHEDULE) private readonly queue: Queue,
  ) {}

  /** Fails at the start if two processors have the same name or one has none. */
  get processors(): ReadonlyMap<string, ScheduledProcessor> {
    return (this.known ??= byName(this.find()));
  }

  /** Plans missing jobs, and replaces those with a wrong time or interval. */
  async plan(): Promise<void> {
    const planned = new Map((await this.schedulers()).map((one) => [one.key, one]));
    for (const { name, everyMs } of this.processors.values()) {
      const { every, next = 0 } = planned.get(name) ?? {};
      const inMs = next - Date.now();
      const isAstray = inMs < -(everyMs + LATE_MS) || inMs > everyMs + EARLY_MS;
      if (Number(every) === everyMs && !isAstray) continue;
      // Without the removal, BullMQ would keep the wrong time of the next run.
      if (isAstray) await this.queue.removeJobScheduler(name);
      await this.queue.upsertJobScheduler(name, { every: everyMs }, { name, opts: OPTIONS });
    }
  }

  /**
   * Ends the plans of processors that this version does not have. An older process with such a processor plans it
   * again.
   */
  async forgetUnknown(): Promise<void> {
    for (const { key } of await this.schedulers()) {
      if (!this.processors.has(key)) await this.queue.removeJobScheduler(key);
    }
  }

  private schedulers(): ReturnType<Queue['getJobSchedulers']> {
    return this.queue.getJobSchedulers(0, SCHEDULERS_MAX);
  }

  private find(): ScheduledProcessor[] {
    return this.discovery
      .getProviders()
      .map(({ instance }: { instance: unknown }) => instance)
      .filter((instance) => instance instanceof ScheduledProcessor);
  }
}

const byName = (processors: Iterable<ScheduledProcessor>): ReadonlyMap<string, ScheduledProcessor> => {
  const found = new Map<string, ScheduledProcessor>();
  for (const processor of new Set(processors)) {
    const { name, everyMs } = processor;
    const of = processor.constructor.name;
    const other = found.get(name)?.constructor.name;
    if (!name) throw new Error(`${of} has no name. A scheduled processor needs one.`);
    if (!(everyMs > 0)) throw new Error(`${of} runs every ${everyMs} ms. It needs a positive number.`);
    if (other !== undefined)
      throw new Error(`${other} and ${of} have one name, "${name}". Rename one of them.`);
    found.set(name, processor);
  }
  return found;
};
