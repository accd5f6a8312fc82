import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { AccountsModule } from '#people/accounts/accounts.module';
import { BillingModule } from '#money/billing/billing.module';
import { CatalogModule } from '#models/catalog/catalog.module';
import { CreditsModule } from '#money/credits/credits.module';
import { JobsModule } from '#work/jobs/jobs.module';
import { MarginsModule } from '#money/margins/margins.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { QueueModule } from '#platform/queue/queue.module';
import { ProvidersModule } from '#models/providers/providers.module';
import { WebhooksModule } from '#notices/webhooks/webhooks.module';
import { AdminAccountsService } from './admin-accounts.service';
import { AdminChannelsController } from './admin-channels.controller';
import { AdminMarginsController } from './admin-margins.controller';
import { AdminModelsController } from './admin-models.controller';
import { AdminModelsService } from './admin-models.service';
import { AdminPaymentsController } from './admin-payments.controller';
import { AdminPaymentsService } from './admin-payments.service';
import { AdminRoutesController } from './admin-routes.controller';
import { AdminSalesController } from './admin-sales.controller';
import { AdminSalesService } from './admin-sales.service';
import { AdminWebhooksController } from './admin-webhooks.controller';
import { AdminReportsService } from './admin-reports.service';
import { AdminController } from './admin.controller';
import { AuditEntry } from './audit-entry.entity';
import { AuditRepository } from './audit.repository';
import { RefusedOperators } from './refused-operators';

/** The routes for operators. `AppModule` leaves it out if there is no admin token. */
@Module({
  imports: [
    AccountsModule,
    BillingModule,
    CatalogModule,
    CreditsModule,
    DatabaseModule,
    HttpModule,
    JobsModule,
    MarginsModule,
    ProvidersModule,
    QueueModule,
    WebhooksModule,
    TypeOrmModule.forFeature([AuditEntry]),
  ],
  controllers: [
    AdminController,
    AdminChannelsController,
    AdminMarginsController,
    AdminModelsController,
    AdminPaymentsController,
    AdminRoutesController,
    AdminSalesController,
    AdminWebhooksController,
  ],
  providers: [
    AdminAccountsService,
    AdminModelsService,
    AdminPaymentsService,
    AdminReportsService,
    AdminSalesService,
    AuditRepository,
    RefusedOperators,
  ],
})
export class AdminModule {}
