import { BullRegistrar, InjectQueue, WorkerHost } from '@nestjs/bullmq';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Queue } from 'bullmq';

import type { BackgroundTask } from '../background/background-task';
import { BackgroundWork } from '../background/background-work';
import { SETTINGS, type Settings } from '../config/settings';
import { CLOSE_WITHIN_MS } from './queue-backend';
import { TICK_MS } from './tick';
import { TICKS, TickProcessor } from './tick.processor';

/** What BullMQ knows the schedule by: no colon and not only digits. Another id would leave the old one ticking in Redis. */
const SCHEDULE_ID = 'clock';
const LOOK_EVERY_MS = 15_000;
/**
 * A tick this late isn't slow but lost, as after a queue was emptied between two of them. One that is as early was set
 * by a process whose clock is ahead, and when that is gone nobody ticks until then.
 */
const ASTRAY_MS = 60_000;

/** Starts the workers and keeps the ticks coming, except in a process that only answers calls. */
@Injectable()
export class QueueWorkers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private winding?: BackgroundTask;

  constructor(
    private readonly registrar: BullRegistrar,
    private readonly discovery: DiscoveryService,
    private readonly ticks: TickProcessor,
    @InjectQueue(TICKS) private readonly queue: Queue,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly background: BackgroundWork,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.role === 'api') {
      return;
    }
    this.registrar.register();
    // Not awaited: a queue that is down must not keep the service from starting, and the next look winds it.
    let isWound = false;
    const work = async (): Promise<void> => {
      await (isWound ? this.look() : this.wind());
      isWound = true;
    };
    this.winding = this.background.task('Setting the schedule', work, { everyMs: LOOK_EVERY_MS });
    this.winding.wake();
  }

  /** What runs now is finished while the database is still there; the pools close only after this. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.settings.role === 'api') {
      return;
    }
    const workers = this.discovery
      .getProviders()
      .map(({ instance }: { instance: unknown }) => instance)
      .filter((instance) => instance instanceof WorkerHost);
    await Promise.all([
      this.winding?.stop(),
      this.ticks.end(CLOSE_WITHIN_MS),
      ...workers.map(({ worker }) => worker.close()),
    ]);
  }

  /** A queue may be emptied while we run; then nobody would ever tick again. */
  async look(): Promise<void> {
    if (Math.abs((await this.next()) - Date.now()) > TICK_MS + ASTRAY_MS) await this.wind();
  }

  private async wind(): Promise<void> {
    // BullMQ would keep to the next tick that it knows.
    if ((await this.next()) > Date.now() + TICK_MS + ASTRAY_MS)
      await this.queue.removeJobScheduler(SCHEDULE_ID);
    // A tick that failed is not repeated: the next one runs the same work.
    const opts = { attempts: 1, removeOnComplete: true, removeOnFail: 100 };
    await this.queue.upsertJobScheduler(SCHEDULE_ID, { every: TICK_MS }, { name: 'tick', opts });
  }

  private async next(): Promise<number> {
    return (await this.queue.getJobScheduler(SCHEDULE_ID))?.next ?? 0;
  }
}
