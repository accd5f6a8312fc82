import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';

import { AccountsModule } from './people/accounts/accounts.module';
import { AdminModule } from './faces/admin/admin.module';
import { AlertsModule } from './notices/alerts/alerts.module';
import { AudioModule } from './work/audio/audio.module';
import { BatchesModule } from './work/batches/batches.module';
import { BillingModule } from './money/billing/billing.module';
import { CatalogModule } from './models/catalog/catalog.module';
import { ChatModule } from './work/chat/chat.module';
import { ConsoleModule } from './faces/console/console.module';
import { CreditsModule } from './money/credits/credits.module';
import { DelegationModule } from './people/delegation/delegation.module';
import { DiscoveryModule } from './faces/discovery/discovery.module';
import { EventsModule } from './notices/events/events.module';
import { GenerationModule } from './work/generation/generation.module';
import { HealthModule } from './faces/health/health.module';
import { JobsModule } from './work/jobs/jobs.module';
import { KeysModule } from './people/keys/keys.module';
import { McpModule } from './faces/mcp/mcp.module';
import { type Settings, settingsOfProcess } from './settings';
import { SettingsModule } from './platform/config/settings.module';
import { DatabaseModule } from './platform/database/database.module';
import { ErrorFilter } from './platform/http/answers/error-filter';
import { HttpModule } from './platform/http/http.module';
import { DtoPipe } from './platform/http/routes/validation';
import { QueueModule } from './platform/queue/queue.module';
import { TelemetryModule } from './platform/telemetry/telemetry.module';
import { OauthModule } from './people/oauth/oauth.module';
import { OrganisationsModule } from './people/organisations/organisations.module';
import { ReferencesModule } from './work/references/references.module';
import { WalletModule } from './money/wallet/wallet.module';
import { RequestsModule } from './notices/requests/requests.module';
import { WebhooksModule } from './notices/webhooks/webhooks.module';

/**
 * The features. A team adds its own module by one line here. `.dependency-cruiser.cjs` lists the permitted imports of
 * each of our features.
 */
@Module({
  imports: [
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
    RequestsModule,
    WalletModule,
    JobsModule,
    ReferencesModule,
    WebhooksModule,
    DelegationModule,
    GenerationModule,
    ChatModule,
    AudioModule,
    BatchesModule,
    OauthModule,
    DiscoveryModule,
    McpModule,
    HealthModule,
    ConsoleModule,
  ],
  providers: [
    // Nest collects the root module's providers first. So filters of other modules run before our filter, and their
    // pipes run after our pipe.
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useClass: DtoPipe },
  ],
})
class FeaturesModule {}

/**
 * The whole service with the settings of its process. A test uses it by `Test.createTestingModule({ imports:
 * [AppModule] })`.
 */
@Module({ imports: [SettingsModule.reading(settingsOfProcess), FeaturesModule, AdminModule] })
export class AppModule {
  /** The service with other settings. Without an admin token, the admin routes do not exist. */
  static with(settings: Settings): DynamicModule {
    const admin = settings.admins.length === 0 ? [] : [AdminModule];
    return { module: FeaturesModule, imports: [SettingsModule.with(settings), ...admin] };
  }
}
