import { Module } from '@nestjs/common';

import { DatabaseModule } from '../database/database.module';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { SweepPauses } from './sweep-pause.repository';
import { SweepRows } from './sweep-rows.repository';
import { SweepPausesMetrics } from './sweep-pauses.metrics';
import { SweepPausesProcessor } from './sweep-pauses.processor';

/** The pauses of rows that keep failing in a sweep. Queues work without it, and without a database. */
@Module({
  imports: [DatabaseModule, TelemetryModule],
  providers: [SweepPauses, SweepPausesMetrics, SweepPausesProcessor, SweepRows],
  exports: [SweepPauses, SweepRows],
})
export class SweepPausesModule {}
