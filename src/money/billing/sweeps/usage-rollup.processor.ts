import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import type { HourlySums } from '../charges/hourly-sums';
import { SalesDayRepository } from '../charges/sales-day.repository';
import { UsageDayRepository } from '../charges/usage-day.repository';

/** A database without sums catches up in steps, so that shutdown never waits for it. */
const TURN_MS = 20_000;

/** Adds up charges, so that a report over a year reads days instead of calls. */
@Injectable()
export class UsageRollupProcessor extends ScheduledProcessor {
  readonly name = 'usage-rollup';
  readonly everyMs = 60_000;

  constructor(
    private readonly usage: UsageDayRepository,
    private readonly sales: SalesDayRepository,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.each(
      () => this.catchUp(this.usage),
      () => this.catchUp(this.sales),
    );
  }

  private catchUp(sums: HourlySums): Promise<void> {
    const until = Date.now() + TURN_MS;
    return this.each(
      async () => {
        while ((await sums.addHour()) && Date.now() < until);
      },
      () => sums.takeRefundsOut(),
    );
  }
}
