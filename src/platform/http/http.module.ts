import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';

import { SETTINGS, type Settings } from '../config/settings';
import { HealthPartsModule } from '../health/health-parts.module';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { AddressLimits } from './limits/address-limits';
import { BodyBudget } from './body/body-budget';
import { BodyReader } from './body/body-reader';
import { Door } from './body/door';
import { Drain } from './drain';
import { MemoryRateStorage } from './limits/memory-rate-storage';
import { RateLimits } from './limits/rate-limits';
import { GuardedCalls } from './outgoing/guarded-calls';
import { SafeFetch } from './outgoing/safe-fetch';
import { KnownRoutes } from './routes/known-routes';
import { RequestLog } from './answers/request-log';
import { SharedRateStorage } from './limits/shared-rate-storage';

@Module({
  imports: [
    HealthPartsModule,
    TelemetryModule,
    ThrottlerModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: async (settings: Settings) => ({
        throttlers: [],
        storage:
          settings.redisUrl === undefined
            ? new MemoryRateStorage()
            : await SharedRateStorage.connect(settings.redisUrl),
      }),
    }),
  ],
  providers: [
    AddressLimits,
    { provide: BodyBudget, useFactory: () => new BodyBudget() },
    BodyReader,
    Door,
    Drain,
    GuardedCalls,
    KnownRoutes,
    RateLimits,
    RequestLog,
    SafeFetch,
  ],
  exports: [
    AddressLimits,
    BodyReader,
    Door,
    Drain,
    GuardedCalls,
    KnownRoutes,
    RateLimits,
    RequestLog,
    SafeFetch,
  ],
})
export class HttpModule {}
