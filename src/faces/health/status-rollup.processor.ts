import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { ModelHealthRepository, OLD_HOURS } from './model-health.repository';
import { SweepRows } from '#platform/queue/sweep-rows.repository';

/**
 * The longest time of one run. A database without sums catches up in several runs, so that a shutdown never waits long.
 */
const TURN_MS = 20_000;

/** Adds up the outcomes by model and hour, so that the status of a month is a read of hours instead of calls. */
@Injectable()
export class StatusRollupProcessor extends ScheduledProcessor {
  readonly name = 'status-rollup';
  readonly everyMs = 60_000;

  constructor(
    private readonly health: ModelHealthRepository,
    private readonly rows: SweepRows,
  ) {
    super();
  }

  async run(): Promise<void> {
    const until = Date.now() + TURN_MS;
    await this.each(
      async () => {
        while (Date.now() < until && (await this.health.addHour()));
      },
      async () => {
        while (Date.now() < until && (await this.health.finishHour()));
      },
      () => this.rows.run(OLD_HOURS),
    );
  }
}
