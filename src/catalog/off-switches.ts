import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import type { BackgroundTask } from '../platform/background/background-task';
import { BackgroundWork } from '../platform/background/background-work';
import { Database } from '../platform/database/database';
import { Catalog } from './catalog';
import type { OffSwitch, SwitchKind } from './off-switch.entity';
import { OffSwitchRepository } from './off-switch.repository';

const CHANNEL = 'off_switch';

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

  async off(kind: SwitchKind, name: string, reason: string | undefined): Promise<void> {
    await this.switches.off(kind, name, reason);
    await this.apply();
  }

  async on(kind: SwitchKind, name: string): Promise<void> {
    await this.switches.on(kind, name);
    await this.apply();
  }

  /** This process applies the switch before it answers. A notification makes all other processes read the switches. */
  private async apply(): Promise<void> {
    await this.read();
    await this.db.notify(CHANNEL, '');
  }

  /** Readings run one after the other. Otherwise the result of an older reading could be applied last. */
  private read(): Promise<void> {
    const look = (): Promise<void> => this.look();
    this.reading = this.reading.then(look, look);
    return this.reading;
  }

  private async look(): Promise<void> {
    const off = await this.switches.all();
    const namesOf = (kind: SwitchKind) =>
      new Set(off.filter((one) => one.kind === kind).map(({ name }) => name));
    this.catalog.sellWithout({ models: namesOf('model'), providers: namesOf('provider') });
  }
}
