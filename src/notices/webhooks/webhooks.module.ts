import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { BillingModule } from '#money/billing/billing.module';
import { OutboxModule } from '#notices/outbox/outbox.module';
import { IdentityModule } from '#people/identity/identity.module';
import { AccountsModule } from '#people/accounts/accounts.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { QueueModule } from '#platform/queue/queue.module';
import { Metrics } from '#platform/telemetry/metrics';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { WEBHOOKS, WebhookHostQueue } from './webhook-host-queue';
import { WebhookCursor } from './webhook-cursor.entity';
import { WebhookDelivery } from './webhook-delivery.entity';
import { WebhookDeliveryRepository } from './webhook-delivery.repository';
import { WebhookEndpoint } from './webhook-endpoint.entity';
import { WebhookEndpointRepository } from './webhook-endpoint.repository';
import { WebhookFanOut } from './webhook-fan-out';
import { WebhookHostWorker } from './webhook-host-worker';
import { WebhookLogRepository } from './webhook-log.repository';
import { WebhookMessages } from './webhook-messages';
import { WebhookNotifier } from './webhook-notifier';
import { WebhookSecretReencryption } from './webhook-secret-reencryption';
import { WebhookRetentionProcessor } from './webhook-retention.processor';
import { WebhookSecret } from './webhook-secret.entity';
import { WebhookSecrets } from './webhook-secrets';
import { WebhookSender } from './webhook-sender';
import { WebhookTriesController } from './webhook-tries.controller';
import { WebhookTry } from './webhook-try.entity';
import { WebhookTryRepository } from './webhook-try.repository';
import { WebhookSweepProcessor } from './webhook-sweep.processor';
import { WebhooksController } from './webhooks.controller';
import { WebhooksMetrics } from './webhooks.metrics';
import { WebhooksProcessor } from './webhooks.processor';
import { WebhooksService } from './webhooks.service';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';

/** Sends events to addresses of their owners: signed, in order, and with retries. */
@Module({
  imports: [
    AccountsModule,
    BillingModule,
    DatabaseModule,
    SweepPausesModule,
    OutboxModule,
    HttpModule,
    IdentityModule,
    QueueModule,
    QueueModule.queue(WEBHOOKS),
    TelemetryModule,
    TypeOrmModule.forFeature([WebhookCursor, WebhookDelivery, WebhookEndpoint, WebhookSecret, WebhookTry]),
  ],
  controllers: [WebhooksController, WebhookTriesController],
  providers: [
    WebhookHostQueue,
    WebhookDeliveryRepository,
    WebhookEndpointRepository,
    WebhookFanOut,
    WebhookHostWorker,
    WebhookLogRepository,
    WebhookMessages,
    WebhookNotifier,
    WebhookSecretReencryption,
    WebhookRetentionProcessor,
    WebhookSecrets,
    WebhookTryRepository,
    WebhookSender,
    WebhookSweepProcessor,
    WebhooksMetrics,
    WebhooksProcessor,
    WebhooksService,
  ],
  exports: [WebhooksService],
})
export class WebhooksModule implements OnModuleInit {
  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly page: Metrics,
    private readonly metrics: WebhooksMetrics,
  ) {}

  onModuleInit(): void {
    this.page.beforeScrape(async () => {
      const { pending, oldestSeconds } = await this.deliveries.backlog();
      this.metrics.backlog(pending, oldestSeconds);
    });
  }
}
