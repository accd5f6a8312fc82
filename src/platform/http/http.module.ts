import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';

import { BackgroundModule } from '../background/background.module';
import { HealthPartsModule } from '../health/health-parts.module';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { AddressLimits } from './limits/address-limits';
import { BodyBudget } from './body/body-budget';
import { BodyReader } from './body/body-reader';
import { FileForms } from './body/file-form';
import { BodyAdmission } from './body/body-admission';
import { Drain } from './drain';
import { MemoryRateStorage } from './limits/memory-rate-storage';
import { RateLimits } from './limits/rate-limits';
import { SsrfGuard } from './outgoing/ssrf-guard';
import { SafeFetch } from './outgoing/safe-fetch';
import { CheckedClasses } from './routes/checked-classes';
import { DeprecatedRoutes } from './routes/deprecated-routes';
import { KnownRoutes } from './routes/known-routes';
import { CsvExports } from './answers/csv-exports';
import { RequestLog } from './answers/request-log';
import { PayerThrottlerGuard } from './limits/payer-throttler.guard';
import { ThrottledRoutes } from './limits/throttled-routes';
import { SharedRateStorage } from './limits/shared-rate-storage';
import { SETTINGS } from '../config/settings';
import type { RateLimitSettings } from './limits/rate-limits.settings';
import type { DatabaseSettings } from '../database/database.settings';

const MINUTE_MS = 60_000;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

@Module({
  imports: [
    BackgroundModule,
    DiscoveryModule,
    HealthPartsModule,
    TelemetryModule,
    ThrottlerModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: async (settings: RateLimitSettings & DatabaseSettings) => ({
        // The default limits, for routes without a limit of their own. `RouteOptions.limit` names the setting.
        throttlers: [
          { name: 'default', ttl: MINUTE_MS, limit: settings.limits.free || NO_LIMIT },
          { name: 'address', ttl: MINUTE_MS, limit: NO_LIMIT },
          { name: 'payer', ttl: MINUTE_MS, limit: NO_LIMIT },
        ],
        storage:
          settings.redisUrl === undefined
            ? new MemoryRateStorage()
            : await SharedRateStorage.connect(settings.redisUrl),
      }),
    }),
  ],
  providers: [
    AddressLimits,
    PayerThrottlerGuard,
    ThrottledRoutes,
    { provide: BodyBudget, useFactory: () => new BodyBudget() },
    BodyReader,
    FileForms,
    CheckedClasses,
    BodyAdmission,
    CsvExports,
    DeprecatedRoutes,
    Drain,
    SsrfGuard,
    KnownRoutes,
    RateLimits,
    RequestLog,
    SafeFetch,
  ],
  exports: [
    AddressLimits,
    CheckedClasses,
    PayerThrottlerGuard,
    ThrottlerModule,
    BodyReader,
    BodyAdmission,
    CsvExports,
    DeprecatedRoutes,
    Drain,
    FileForms,
    SsrfGuard,
    KnownRoutes,
    RateLimits,
    RequestLog,
    SafeFetch,
    ThrottledRoutes,
  ],
})
export class HttpModule {}
