import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../../platform/queue/scheduled-processor';
import { CallsUnderwayRepository } from '../charges/calls-underway.repository';
import { ChargeRepository } from '../charges/charge.repository';

const BATCH = 2_000;

/**
 * Deletes expired answers, because the service promises to keep texts for minutes only. It also deletes the entries of
 * calls whose process died.
 */
@Injectable()
export class ReplaySweepProcessor extends ScheduledProcessor {
  readonly name = 'replay-sweep';
  readonly everyMs = 30_000;

  constructor(
    private readonly charges: ChargeRepository,
    private readonly underway: CallsUnderwayRepository,
  ) {
    super();
  }

  async run(): Promise<void> {
    while ((await this.charges.dropExpiredReplays(BATCH)) === BATCH);
    while ((await this.underway.dropDead(BATCH)) === BATCH);
  }
}
