import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { ModelHealthRepository } from './model-health.repository';

/**
 * The longest time of one run. A database without sums catches up in several runs, so that a shutdown never waits long.
 */
const TURN_MS = 20_000;

/** Adds up the outcomes by model and hour, so that the status of a month is a read of hours instead of calls. */
@Injectable()
export class StatusRollupProcessor extends ScheduledProcessor {
  readonly name = 'status-rollup';
  readonly everyMs = 60_000;

  constructor(private readonly health: ModelHealthRepository) {
    super();
  }

  async run(): Promise<void> {
    const until = Date.now() + TURN_MS;
    while (Date.now() < until && ((await this.health.addHour()) || (await this.health.finishHour())));
    await this.health.forgetOld();
  }
}
