import { Module, type OnModuleInit } from '@nestjs/common';
import { Registry } from 'prom-client';

import { BackgroundModule } from '../background/background.module';
import { BackgroundWork } from '../background/background-work';
import { HealthParts } from './health-parts';
import { Metrics } from './metrics';
import { MetricsController } from './metrics.controller';
import { ProcessMetrics } from './process-metrics';

/** What operators watch: numbers, and the health of each part. */
@Module({
  imports: [BackgroundModule],
  controllers: [MetricsController],
  providers: [{ provide: Registry, useFactory: () => new Registry() }, Metrics, ProcessMetrics, HealthParts],
  exports: [Registry, Metrics, HealthParts, BackgroundModule, ProcessMetrics],
})
export class TelemetryModule implements OnModuleInit {
  constructor(
    private readonly background: BackgroundWork,
    private readonly parts: HealthParts,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.parts.register({
      name: 'background',
      critical: false,
      check: () => Promise.resolve(Object.keys(this.background.failing()).length === 0 ? 'ok' : 'degraded'),
    });
    this.metrics.beforeScrape(() => this.metrics.backgroundFailing(this.background.failing()));
  }
}
