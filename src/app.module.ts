import { type DynamicModule, Module } from '@nestjs/common';

import { AccountsModule } from './accounts/accounts.module';
import { AdminModule } from './admin/admin.module';
import { AlertsModule } from './alerts/alerts.module';
import { BillingModule } from './billing/billing.module';
import { CatalogModule } from './catalog/catalog.module';
import { ChatModule } from './chat/chat.module';
import { ConsoleModule } from './console/console.module';
import { CreditsModule } from './credits/credits.module';
import { DelegationModule } from './delegation/delegation.module';
import { DiscoveryModule } from './discovery/discovery.module';
import { EventsModule } from './events/reading/events.module';
import { GenerationModule } from './generation/generation.module';
import { HealthModule } from './health/health.module';
import { JobsModule } from './jobs/jobs.module';
import { KeysModule } from './keys/keys.module';
import { McpModule } from './mcp/mcp.module';
import type { Settings } from './platform/config/settings';
import { SettingsModule } from './platform/config/settings.module';
import { DatabaseModule } from './platform/database/database.module';
import { HttpModule } from './platform/http/http.module';
import { QueueModule } from './platform/queue/queue.module';
import { TelemetryModule } from './platform/telemetry/telemetry.module';
import { OrganisationsModule } from './organisations/organisations.module';
import { ReferencesModule } from './references/references.module';
import { WalletModule } from './wallet/wallet.module';
import { WebhooksModule } from './webhooks/webhooks.module';

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
        AccountsModule,
        OrganisationsModule,
        KeysModule,
        BillingModule,
        EventsModule,
        AlertsModule,
        CreditsModule,
        WalletModule,
        JobsModule,
        ReferencesModule,
        WebhooksModule,
        DelegationModule,
        GenerationModule,
        ChatModule,
        DiscoveryModule,
        McpModule,
        HealthModule,
        AdminModule.with(settings),
        ConsoleModule,
      ],
    };
  }
}
