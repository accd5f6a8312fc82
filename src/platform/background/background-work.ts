import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';

import { within } from '#kernel/deadline';
import { getOrMake } from '#kernel/maps';
import { BackgroundTask, type TaskOptions } from './background-task';
import { Outage } from './outage';

const END_MS_MAX = 5_000;

/**
 * Runs all work that no caller waits for. It logs a failure once for each outage, and shows it in the health and in a
 * metric. Tasks are retried with backoff, and a failure never becomes an unhandled rejection.
 */
@Injectable()
export class BackgroundWork implements OnApplicationShutdown {
  private readonly logger = new Logger('Background');
  private readonly tasks = new Map<string, BackgroundTask>();
  private readonly outages = new Map<string, Outage>();
  private readonly detached = new Set<Promise<void>>();

  /** Creates a task that runs after `wake`, and repeatedly if `everyMs` is set. Each name belongs to one task. */
  task(name: string, work: () => unknown, options: TaskOptions = {}): BackgroundTask {
    if (this.tasks.has(name)) throw new Error(`Two tasks are named ${name}.`);
    const task = new BackgroundTask(work, new Outage(name, this.logger), options);
    this.tasks.set(name, task);
    return task;
  }

  /** Creates a repeated task, and starts its first run after `everyMs`. */
  every(name: string, everyMs: number, work: () => unknown): BackgroundTask {
    const task = this.task(name, work, { everyMs });
    task.wake(everyMs);
    return task;
  }

  /** Runs `work` once, without a retry. A later success under the same name ends the outage. */
  detach(name: string, work: () => Promise<unknown>): void {
    const outage = getOrMake(this.outages, name, () => new Outage(name, this.logger));
    const run: Promise<void> = tried(work, outage).then(() => {
      this.detached.delete(run);
    });
    this.detached.add(run);
  }

  /** The tasks that are failing, with the seconds since their first failure. */
  failing(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.tasks].flatMap(([name, { outage }]) =>
        outage.seconds === undefined ? [] : [[name, outage.seconds] as const],
      ),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    const ended = [...[...this.tasks.values()].map((task) => task.stop()), ...this.detached];
    await within(END_MS_MAX, Promise.all(ended), () => undefined);
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
