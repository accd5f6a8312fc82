import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';

import { SETTINGS, type Settings } from '../config/settings';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { AddressLimits } from './address-limits';
import { BodyBudget } from './body-budget';
import { BodyReader } from './body-reader';
import { Door } from './door';
import { Drain } from './drain';
import { HttpHooks } from './hooks';
import { MemoryRateStorage } from './memory-rate-storage';
import { RateLimits } from './rate-limits';
import { SafeFetch } from './safe-fetch';
import { RequestLog } from './request-log';
import { SharedRateStorage } from './shared-rate-storage';

@Module({
  imports: [
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
    HttpHooks,
    RateLimits,
    RequestLog,
    SafeFetch,
  ],
  exports: [BodyReader, Door, Drain, HttpHooks, RateLimits, SafeFetch],
})
export class HttpModule {}
