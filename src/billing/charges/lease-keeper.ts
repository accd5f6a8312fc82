import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';

import { ChargeRepository } from './charge.repository';
import { RENEW_EVERY_MS } from './lease';

/** Keeps the leases of all charges that this process works on, with one statement for all of them. */
@Injectable()
export class LeaseKeeper implements OnApplicationShutdown {
  private readonly logger = new Logger(LeaseKeeper.name);
  private readonly kept = new Set<string>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly charges: ChargeRepository) {}

  keep(chargeId: string): void {
    this.kept.add(chargeId);
    this.timer ??= setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
  }

  letGo(chargeId: string): void {
    this.kept.delete(chargeId);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async renew(): Promise<void> {
    if (this.kept.size === 0) {
      return;
    }
    try {
      await this.charges.renewLeases([...this.kept]);
    } catch (error) {
      this.logger.warn({ err: error }, 'Leases could not be renewed; the next try follows.');
    }
  }
}
