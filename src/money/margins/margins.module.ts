import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { BillingModule } from '#money/billing/billing.module';
import { BackgroundModule } from '#platform/background/background.module';
import { DatabaseModule } from '#platform/database/database.module';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { MarginWatchProcessor } from './margin-watch.processor';
import { MarginsMetrics } from './margins.metrics';
import { MarginsService } from './margins.service';
import { VendorCostDay } from './vendor-cost.entity';
import { VendorCostRepository } from './vendor-cost.repository';
import { VendorCosts } from './vendor-costs';

/** Compares the cost of calls at vendors with the charges. */
@Module({
  imports: [
    BackgroundModule,
    BillingModule,
    DatabaseModule,
    TelemetryModule,
    TypeOrmModule.forFeature([VendorCostDay]),
  ],
  providers: [MarginsMetrics, MarginsService, MarginWatchProcessor, VendorCostRepository, VendorCosts],
  exports: [MarginsService, VendorCosts],
})
export class MarginsModule {}
