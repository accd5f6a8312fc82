import { Injectable } from '@nestjs/common';

import { SweepPausesMetrics } from './sweep-pauses.metrics';
import { ScheduledProcessor } from './scheduled-processor';
import { SweepPauses } from './sweep-pause.repository';

/** Reports how many rows of each sweep keep failing, and forgets those that are gone. */
@Injectable()
export class SweepPausesProcessor extends ScheduledProcessor {
  readonly name = 'sweep-pauses';
  readonly everyMs = 30_000;

  constructor(
    private readonly pauses: SweepPauses,
    private readonly metrics: SweepPausesMetrics,
  ) {
    super();
  }

  async run(): Promise<void> {
    this.metrics.set(await this.pauses.failing());
  }
}
