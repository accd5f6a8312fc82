import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { DEAD_CALLS } from '../charges/calls-underway.repository';
import { EXPIRED_REPLAYS } from '../charges/charge.repository';
import { SweepRows } from '#platform/queue/sweep-rows.repository';

/**
 * Deletes expired answers, because the service promises to keep texts for minutes only. It also deletes the entries of
 * calls whose process died.
 */
@Injectable()
export class ReplaySweepProcessor extends ScheduledProcessor {
  readonly name = 'replay-sweep';
  readonly everyMs = 30_000;

  constructor(private readonly rows: SweepRows) {
    super();
  }

  async run(): Promise<void> {
    await this.each(
      () => this.rows.run(EXPIRED_REPLAYS),
      () => this.rows.run(DEAD_CALLS),
    );
  }
}
