import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { Database, type Queries } from '#platform/database/database';
import { Catalog } from './catalog';
import type { OffSwitch, SwitchKind } from './off-switch.entity';
import { CHANNEL, OffSwitchRepository } from './off-switch.repository';

/** Switches models and providers off and on while the service runs, in all processes. */
@Injectable()
export class OffSwitches implements OnApplicationBootstrap, OnApplicationShutdown {
  private stop?: () => Promise<void>;
  private reading: Promise<void> = Promise.resolve();
  private readonly looking: BackgroundTask;

  constructor(
    private readonly db: Database,
    private readonly catalog: Catalog,
    private readonly switches: OffSwitchRepository,
    background: BackgroundWork,
  ) {
    this.looking = background.task('Reading what is switched off', () => this.read());
  }

  async onApplicationBootstrap(): Promise<void> {
    const look = (): void => this.looking.wake();
    this.stop = await this.db.listen(CHANNEL, look, look);
    await this.read();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop?.();
  }

  all(): Promise<readonly OffSwitch[]> {
    return this.switches.all();
  }

  isOff(kind: SwitchKind, name: string, queries: Queries): Promise<boolean> {
    return this.switches.isOff(kind, name, queries);
  }

  /** Stores a switch. All processes are notified at the end of the transaction. */
  store(
    to: 'on' | 'off',
    kind: SwitchKind,
    name: string,
    reason: string | undefined,
    queries: Queries,
  ): Promise<void> {
    return to === 'off'
      ? this.switches.off(kind, name, reason, queries)
      : this.switches.on(kind, name, queries);
  }

  /** Readings run one after the other. Otherwise the result of an older reading could be applied last. */
  read(): Promise<void> {
    const look = (): Promise<void> => this.load();
    this.reading = this.reading.then(look, look);
    return this.reading;
  }

  private async load(): Promise<void> {
    const off = await this.switches.all();
    const namesOf = (kind: SwitchKind) =>
      new Set(off.filter((one) => one.kind === kind).map(({ name }) => name));
    this.catalog.sellWithout({ models: namesOf('model'), providers: namesOf('provider') });
  }
}
