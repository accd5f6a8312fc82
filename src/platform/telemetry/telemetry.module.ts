import { Module } from '@nestjs/common';

import { HooksModule } from '../http/hooks.module';
import { HealthParts } from './health-parts';
import { Metrics } from './metrics';
import { MetricsController } from './metrics.controller';
import { ProcessMetrics } from './process-metrics';

/** What operators watch: numbers, and the health of each part. */
@Module({
  imports: [HooksModule],
  controllers: [MetricsController],
  providers: [Metrics, ProcessMetrics, HealthParts],
  exports: [Metrics, HealthParts],
})
export class TelemetryModule {}
