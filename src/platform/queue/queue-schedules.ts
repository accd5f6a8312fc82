import { BullRegistrar, WorkerHost } from '@nestjs/bullmq';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Queue } from 'bullmq';

import { SETTINGS, type Settings } from '../config/settings';
import { QueueHealth } from './queue-health';
import { ScheduledProcessor } from './scheduled-processor';

/** What BullMQ knows a schedule by: no colon and not only digits. Another id would leave the old one ticking in Redis. */
const SCHEDULE_ID = 'clock';
const LOOK_EVERY_MS = 15_000;
/**
 * A tick this late isn't slow but lost, as after a queue was emptied between two of them. One that is as early was set
 * by a process whose clock is ahead, and when that is gone nobody ticks until then.
 */
const ASTRAY_MS = 60_000;

/** Starts the workers and keeps their schedules, except in a process that only answers calls. */
@Injectable()
export class QueueSchedules implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Queue');
  private lastRound = Promise.resolve();
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly registrar: BullRegistrar,
    private readonly discovery: DiscoveryService,
    private readonly health: QueueHealth,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.role === 'api') {
      return;
    }
    this.registrar.register();
    // Not awaited: a queue that is down must not keep the service from starting, and the next look sets the schedule.
    this.lastRound = this.setAll((processor, queue) => this.set(processor, queue));
    this.timer = setInterval(() => {
      this.lastRound = this.lastRound.then(() => this.look());
    }, LOOK_EVERY_MS).unref();
  }

  /** Jobs that run now are finished while the database is still there; the pools close only after this. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    if (this.settings.role === 'api') {
      return;
    }
    await Promise.all(this.instances(WorkerHost).map(({ worker }) => worker.close()));
  }

  /** A queue may be emptied while we run; then nobody would ever tick again. */
  async look(): Promise<void> {
    await this.setAll((processor, queue) => this.lookAt(processor, queue));
  }

  private async setAll(work: (processor: ScheduledProcessor, queue: Queue) => Promise<void>): Promise<void> {
    for (const processor of this.instances(ScheduledProcessor)) {
      const queue = this.health.queue(processor.worker.name);
      try {
        await work(processor, queue);
      } catch (error) {
        this.logger.warn(
          { err: error },
          `The schedule of ${queue.name} could not be set; trying again soon.`,
        );
      }
    }
  }

  private async set({ everyMs }: ScheduledProcessor, queue: Queue): Promise<void> {
    const next = (await queue.getJobScheduler(SCHEDULE_ID))?.next ?? 0;
    // BullMQ would keep to the next tick that it knows.
    if (next > Date.now() + everyMs + ASTRAY_MS) await queue.removeJobScheduler(SCHEDULE_ID);
    // A tick that failed is not repeated: the next one does the same work.
    const opts = { attempts: 1, removeOnComplete: true, removeOnFail: 20 };
    await queue.upsertJobScheduler(SCHEDULE_ID, { every: everyMs }, { name: 'tick', opts });
  }

  private async lookAt(processor: ScheduledProcessor, queue: Queue): Promise<void> {
    const next = (await queue.getJobScheduler(SCHEDULE_ID))?.next ?? 0;
    if (Math.abs(next - Date.now()) > processor.everyMs + ASTRAY_MS) {
      await this.set(processor, queue);
    }
  }

  private instances<T>(type: abstract new (...args: never[]) => T): T[] {
    return this.discovery
      .getProviders()
      .map(({ instance }: { instance: unknown }) => instance)
      .filter((instance): instance is T => instance instanceof type);
  }
}
