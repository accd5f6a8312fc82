import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, type FactoryProvider, Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';

import { BackgroundModule } from '../background/background.module';
import { HealthParts } from '../health/health-parts';
import { Metrics } from '../telemetry/metrics';
import { HealthPartsModule } from '../health/health-parts.module';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { BackedWorker, queueOptions } from './queue-backend';
import { QueueDepthMetrics } from './queue-depth.metrics';
import { QueueHealth } from './queue-health';
import { QueuePool } from './queue-pool';
import { Queues } from './queues';
import { SCHEDULE, Schedule } from './schedule';
import { ScheduleProcessor } from './schedule.processor';
import { SETTINGS } from '../config/settings';
import type { DatabaseSettings } from '../database/database.settings';

BullModule.workerClass = BackedWorker;

const pool: FactoryProvider<QueuePool | undefined> = {
  provide: QueuePool,
  inject: [SETTINGS],
  useFactory: (settings: DatabaseSettings) =>
    settings.redisUrl === undefined ? new QueuePool(settings) : undefined,
};

@Module({ providers: [pool], exports: [pool] })
class QueuePoolModule {}

/** Queues on Postgres, or on Redis when it is configured: the same code on both. */
@Module({
  imports: [
    BullModule.forRootAsync({
      imports: [QueuePoolModule],
      inject: [SETTINGS, QueuePool],
      useFactory: queueOptions,
      // Workers start when everything else is ready, and only in roles with workers; see `Queues`.
      extraOptions: { manualRegistration: true },
    }),
    BullModule.registerQueue({ name: SCHEDULE }),
    BackgroundModule,
    DiscoveryModule,
    HealthPartsModule,
    TelemetryModule,
  ],
  providers: [QueueDepthMetrics, QueueHealth, Queues, Schedule, ScheduleProcessor],
  exports: [QueueHealth],
})
export class QueueModule implements OnModuleInit {
  constructor(
    private readonly queues: QueueHealth,
    private readonly parts: HealthParts,
    private readonly page: Metrics,
    private readonly depth: QueueDepthMetrics,
  ) {}

  /** For modules with a queue or a worker. Repeated work needs neither; see `ScheduledProcessor`. */
  static queue(name: string): DynamicModule {
    return BullModule.registerQueue({ name });
  }

  onModuleInit(): void {
    // Sweeps repeat lost queue work, so calls can be served without a queue.
    this.parts.register({ name: 'queue', critical: false, check: () => this.queues.state() });
    this.page.beforeScrape(async () => {
      for (const [queue, states] of Object.entries(await this.queues.depths())) {
        for (const [state, entries] of Object.entries(states)) this.depth.set(queue, state, entries);
      }
    });
  }
}
