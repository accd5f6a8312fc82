import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { MarginsMetrics } from './margins.metrics';
import { MarginsService } from './margins.service';

/** Warns operators of models that sell below their cost at vendors. */
@Injectable()
export class MarginWatchProcessor extends ScheduledProcessor {
  readonly name = 'margin-watch';
  /** The sums read all charges of this hour, which takes Postgres some microseconds for each. */
  readonly everyMs = 300_000;
  private belowCost: ReadonlySet<string> = new Set();

  constructor(
    private readonly margins: MarginsService,
    private readonly metrics: MarginsMetrics,
  ) {
    super();
  }

  async run(): Promise<void> {
    const margins = await this.margins.recent();
    this.metrics.set(margins);
    const below = [...margins].filter(([, margin]) => margin < 0n);
    for (const [model, margin] of below) {
      if (this.belowCost.has(model)) continue; // Logs one line each time the margin falls below zero.
      this.logger.warn(
        { model, marginMicro: margin.toString() },
        'A model sells below its cost at the vendors. GET /v1/admin/margins shows its routes.',
      );
    }
    this.belowCost = new Set(below.map(([model]) => model));
  }
}
