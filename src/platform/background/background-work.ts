import { setTimeout as pause } from 'node:timers/promises';

import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';

import { BackgroundTask, type TaskOptions } from './background-task';
import { Outage } from './outage';

const END_MS_MAX = 5_000;

/**
 * Runs all work that no caller waits for. A failure is logged once for each outage, is visible in the health and in a
 * metric, and is retried with backoff. It never becomes an unhandled rejection.
 */
@Injectable()
export class BackgroundWork implements OnApplicationShutdown {
  private readonly logger = new Logger('Background');
  private readonly tasks = new Map<string, BackgroundTask>();
  private readonly outages = new Map<string, Outage>();
  private readonly detached = new Set<Promise<void>>();

  /** A task that runs when it is woken, and repeatedly with `everyMs`. A name belongs to one task. */
  task(name: string, work: () => unknown, options: TaskOptions = {}): BackgroundTask {
    if (this.tasks.has(name)) throw new Error(`Two tasks are named ${name}.`);
    const task = new BackgroundTask(work, new Outage(name, this.logger), options);
    this.tasks.set(name, task);
    return task;
  }

  /** A repeated task, which runs first after `everyMs`. */
  every(name: string, everyMs: number, work: () => unknown): BackgroundTask {
    const task = this.task(name, work, { everyMs });
    task.wake(everyMs);
    return task;
  }

  /** Runs a task once. A later success under the same name ends its outage. */
  detach(name: string, work: () => Promise<unknown>): void {
    const outage = this.outages.get(name) ?? new Outage(name, this.logger);
    this.outages.set(name, outage);
    const run: Promise<void> = tried(work, outage).then(() => {
      this.detached.delete(run);
    });
    this.detached.add(run);
  }

  /** The tasks that are failing, with the seconds since their last success. */
  failing(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.tasks].flatMap(([name, { outage }]) =>
        outage.seconds === undefined ? [] : [[name, outage.seconds] as const],
      ),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    const ended = [...[...this.tasks.values()].map((task) => task.stop()), ...this.detached];
    await Promise.race([Promise.all(ended), pause(END_MS_MAX, undefined, { ref: false })]);
  }
}

/** Never fails. */
const tried = async (work: () => Promise<unknown>, outage: Outage): Promise<void> => {
  try {
    await work();
    outage.worked();
  } catch (error) {
    outage.failed(error);
  }
};
