import { type DynamicModule, Module } from '@nestjs/common';

import { BillingModule } from './billing/billing.module';
import { CatalogModule } from './catalog/catalog.module';
import { DiscoveryModule } from './discovery/discovery.module';
import { HealthModule } from './health/health.module';
import type { Settings } from './platform/config/settings';
import { SettingsModule } from './platform/config/settings.module';
import { DatabaseModule } from './platform/database/database.module';
import { HttpModule } from './platform/http/http.module';
import { QueueModule } from './platform/queue/queue.module';
import { TelemetryModule } from './platform/telemetry/telemetry.module';

/** The list of features. What each may import from which stands in `.dependency-cruiser.cjs`. */
@Module({})
export class AppModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SettingsModule.with(settings),
        TelemetryModule,
        DatabaseModule,
        QueueModule,
        HttpModule,
        CatalogModule,
        BillingModule,
        DiscoveryModule,
        HealthModule,
      ],
    };
  }
}
