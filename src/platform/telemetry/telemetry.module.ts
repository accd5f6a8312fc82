import { Module } from '@nestjs/common';

import { HealthParts } from './health-parts';
import { Metrics } from './metrics';
import { MetricsController } from './metrics.controller';
import { ProcessMetrics } from './process-metrics';

/** What operators watch: numbers, and the health of each part. */
@Module({
  controllers: [MetricsController],
  providers: [Metrics, ProcessMetrics, HealthParts],
  exports: [Metrics, HealthParts, ProcessMetrics],
})
export class TelemetryModule {}
