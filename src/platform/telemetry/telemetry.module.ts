import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';

import { BackgroundModule } from '../background/background.module';
import { Metrics } from './metrics';
import { MetricsController } from './metrics.controller';
import { ProcessMetrics } from './process-metrics';

/** The metrics for operators. */
@Module({
  imports: [BackgroundModule],
  controllers: [MetricsController],
  providers: [{ provide: Registry, useFactory: () => new Registry() }, Metrics, ProcessMetrics],
  exports: [Registry, Metrics, BackgroundModule, ProcessMetrics],
})
export class TelemetryModule {}
