import { Injectable } from '@nestjs/common';

import { SweepPausesMetrics } from './sweep-pauses.metrics';
import { ScheduledProcessor } from './scheduled-processor';
import { PAUSE_KEPT, RECORDED, RECORD_KEPT, SweepPauses } from './sweep-pause.repository';
import { SweepRows, deletedRows } from './sweep-rows.repository';

const OLD_PAUSES = deletedRows({
  step: 'old-pauses',
  table: 'sweep_pause',
  key: 'sweep_pause.sweep, sweep_pause.id',
  due: `sweep_pause.retry_at < now() - case when starts_with(sweep_pause.sweep, '${RECORDED}') then ${RECORD_KEPT} else ${PAUSE_KEPT} end`,
});

/** Reports how many rows of each sweep keep failing, and forgets those that are gone. */
@Injectable()
export class SweepPausesProcessor extends ScheduledProcessor {
  readonly name = 'sweep-pauses';
  readonly everyMs = 30_000;

  constructor(
    private readonly pauses: SweepPauses,
    private readonly metrics: SweepPausesMetrics,
    private readonly rows: SweepRows,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.each(
      () => this.rows.run(OLD_PAUSES),
      async () => this.metrics.set(await this.pauses.failing()),
    );
  }
}
