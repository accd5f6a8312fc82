import { Injectable } from '@nestjs/common';

import { BackgroundWork } from '#platform/background/background-work';
import { Database, type Queries } from '#platform/database/database';
import { KeptState } from '#platform/database/kept-state';
import { Catalog } from './catalog';
import type { OffSwitch, SwitchKind } from './off-switch.entity';
import { CHANNEL, OffSwitchRepository } from './off-switch.repository';

/** Switches models and providers off and on while the service runs, in all processes. */
@Injectable()
export class OffSwitches extends KeptState {
  constructor(
    db: Database,
    private readonly catalog: Catalog,
    private readonly switches: OffSwitchRepository,
    background: BackgroundWork,
  ) {
    super(db, CHANNEL, background, 'Reading what is switched off');
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

  protected async load(): Promise<void> {
    const off = await this.switches.all();
    const namesOf = (kind: SwitchKind) =>
      new Set(off.filter((one) => one.kind === kind).map(({ name }) => name));
    this.catalog.sellWithout({ models: namesOf('model'), providers: namesOf('provider') });
  }
}
