import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../../platform/queue/scheduled-processor';
import { UsageDayRepository } from '../charges/usage-day.repository';

/** A database without sums catches up in steps, so that a stop never waits for it. */
const TURN_MS = 20_000;

/** Adds up charges, so that a report over a year reads days instead of calls. */
@Injectable()
export class UsageRollupProcessor extends ScheduledProcessor {
  readonly name = 'usage-rollup';
  readonly everyMs = 60_000;

  constructor(private readonly days: UsageDayRepository) {
    super();
  }

  async run(): Promise<void> {
    const until = Date.now() + TURN_MS;
    while ((await this.days.addHour()) && Date.now() < until);
    await this.days.takeRefundsOut();
  }
}
