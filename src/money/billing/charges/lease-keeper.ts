import { Injectable } from '@nestjs/common';

import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { ChargeRepository } from './charge.repository';
import { RENEW_EVERY_MS } from './lease';

/** Renews the leases of all charges that this process works on, in one statement. */
@Injectable()
export class LeaseKeeper {
  private readonly kept = new Set<string>();
  private readonly renewing: BackgroundTask;

  constructor(
    private readonly charges: ChargeRepository,
    background: BackgroundWork,
  ) {
    this.renewing = background.task('Renewing leases', () => this.renew(), { everyMs: RENEW_EVERY_MS });
  }

  keep(chargeId: string): void {
    this.kept.add(chargeId);
    this.renewing.wake(RENEW_EVERY_MS);
  }

  letGo(chargeId: string): void {
    this.kept.delete(chargeId);
  }

  private async renew(): Promise<void> {
    if (this.kept.size > 0) await this.charges.renewLeases([...this.kept]);
  }
}
