import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { AccountsModule } from '#people/accounts/accounts.module';
import { BillingModule } from '#money/billing/billing.module';
import { DatabaseModule } from '#platform/database/database.module';
import { MailModule } from '#platform/mail/mail.module';
import { Metrics } from '#platform/telemetry/metrics';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { AlertMail } from './alert-mail.entity';
import { AlertMailRepository } from './alert-mail.repository';
import { AlertMailsProcessor } from './alert-mails.processor';
import { AlertRepository } from './alert.repository';
import { AlertSetting } from './alert-setting.entity';
import { Alert } from './alert.entity';
import { AlertsController } from './alerts.controller';
import { AlertsMetrics } from './alerts.metrics';
import { AlertsProcessor } from './alerts.processor';
import { AlertsService } from './alerts.service';
import { AnnouncedModel } from './announced-model.entity';
import { ModelChangesProcessor } from './model-changes.processor';
import { ModelChangesRepository } from './model-changes.repository';
import { CatalogModule } from '#models/catalog/catalog.module';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';

/** Warns owners before money runs out or keys expire, once for each case. */
@Module({
  imports: [
    AccountsModule,
    BillingModule,
    CatalogModule,
    DatabaseModule,
    SweepPausesModule,
    MailModule,
    TelemetryModule,
    TypeOrmModule.forFeature([Alert, AlertMail, AlertSetting, AnnouncedModel]),
  ],
  controllers: [AlertsController],
  providers: [
    AlertMailRepository,
    AlertMailsProcessor,
    AlertRepository,
    AlertsMetrics,
    AlertsProcessor,
    AlertsService,
    ModelChangesProcessor,
    ModelChangesRepository,
  ],
})
export class AlertsModule implements OnModuleInit {
  constructor(
    private readonly mails: AlertMailRepository,
    private readonly page: Metrics,
    private readonly metrics: AlertsMetrics,
  ) {}

  onModuleInit(): void {
    this.page.beforeScrape(async () => {
      const { pending, oldestSeconds } = await this.mails.backlog();
      this.metrics.backlog(pending, oldestSeconds);
    });
  }
}
