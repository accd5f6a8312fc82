import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';

import { AccountsModule } from './accounts/accounts.module';
import { AdminModule } from './admin/admin.module';
import { AlertsModule } from './alerts/alerts.module';
import { AudioModule } from './audio/audio.module';
import { BatchesModule } from './batches/batches.module';
import { BillingModule } from './billing/billing.module';
import { CatalogModule } from './catalog/catalog.module';
import { ChatModule } from './chat/chat.module';
import { ConsoleModule } from './console/console.module';
import { CreditsModule } from './credits/credits.module';
import { DelegationModule } from './delegation/delegation.module';
import { DiscoveryModule } from './discovery/discovery.module';
import { EventsModule } from './events/events.module';
import { GenerationModule } from './generation/generation.module';
import { HealthModule } from './health/health.module';
import { JobsModule } from './jobs/jobs.module';
import { KeysModule } from './keys/keys.module';
import { McpModule } from './mcp/mcp.module';
import { type Settings, settingsOfProcess } from './settings';
import { SettingsModule } from './platform/config/settings.module';
import { DatabaseModule } from './platform/database/database.module';
import { ErrorFilter } from './platform/http/answers/error-filter';
import { HttpModule } from './platform/http/http.module';
import { DtoPipe } from './platform/http/routes/validation';
import { QueueModule } from './platform/queue/queue.module';
import { TelemetryModule } from './platform/telemetry/telemetry.module';
import { OauthModule } from './oauth/oauth.module';
import { OrganisationsModule } from './organisations/organisations.module';
import { ReferencesModule } from './references/references.module';
import { WalletModule } from './wallet/wallet.module';
import { RequestsModule } from './requests/requests.module';
import { WebhooksModule } from './webhooks/webhooks.module';

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
