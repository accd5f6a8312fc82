import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';

import { BackgroundModule } from '../background/background.module';
import { SETTINGS } from '../config/settings';
import { HealthParts } from '../health/health-parts';
import { Metrics } from '../telemetry/metrics';
import { HealthPartsModule } from '../health/health-parts.module';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { BackedWorker, queueOptions } from './queue-backend';
import { QueueHealth } from './queue-health';
import { Queues } from './queues';
import { SCHEDULE, Schedule } from './schedule';
import { ScheduleProcessor } from './schedule.processor';

BullModule.workerClass = BackedWorker;

/** Queues on Postgres, or on Redis if it is configured. The same code uses both. */
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: queueOptions,
      // `Queues` starts the workers after everything else is ready, and only in roles with workers.
      extraOptions: { manualRegistration: true },
    }),
    BullModule.registerQueue({ name: SCHEDULE }),
    BackgroundModule,
    DiscoveryModule,
    HealthPartsModule,
    TelemetryModule,
  ],
  providers: [QueueHealth, Queues, Schedule, ScheduleProcessor],
  exports: [QueueHealth],
})
export class QueueModule implements OnModuleInit {
  constructor(
    private readonly queues: QueueHealth,
    private readonly parts: HealthParts,
    private readonly metrics: Metrics,
  ) {}

  /** For modules with a queue or a worker. Repeated work needs neither; see `ScheduledProcessor`. */
  static queue(name: string): DynamicModule {
    return BullModule.registerQueue({ name });
  }

  onModuleInit(): void {
    // The queue is not critical: sweeps repeat lost queue work, so the service can answer calls without it.
    this.parts.register({ name: 'queue', critical: false, check: () => this.queues.state() });
    this.metrics.beforeScrape(async () => {
      for (const [queue, states] of Object.entries(await this.queues.depths())) {
        for (const [state, entries] of Object.entries(states)) this.metrics.queueDepth(queue, state, entries);
      }
    });
  }
}
