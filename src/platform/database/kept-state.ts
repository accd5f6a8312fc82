import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';

import { Slots } from '#kernel/slots';
import type { BackgroundTask } from '../background/background-task';
import type { BackgroundWork } from '../background/background-work';
import type { Database } from './database';

/** Rows that each process keeps in memory. It reads them at the start, and again after each notification. */
export abstract class KeptState implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly readings = new Slots(1);
  private readonly reading: BackgroundTask;
  private stop?: () => Promise<void>;

  constructor(
    private readonly db: Database,
    private readonly channel: string,
    background: BackgroundWork,
    /** The name of the background task. */
    name: string,
  ) {
    this.reading = background.task(name, () => this.read());
  }

  async onApplicationBootstrap(): Promise<void> {
    const readSoon = (): void => this.reading.wake();
    this.stop = await this.db.listen(this.channel, readSoon, readSoon);
    await this.read();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop?.();
  }

  /** Readings run one after the other. Otherwise the result of an older reading could be applied last. */
  read(): Promise<void> {
    return this.readings.run(() => this.load());
  }

  /** Reads the rows, and applies them. */
  protected abstract load(): Promise<void>;
}
