import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { AccountsModule } from '../accounts/accounts.module';
import { BillingModule } from '../billing/billing.module';
import { DatabaseModule } from '../platform/database/database.module';
import { AccountAlertsController } from './account-alerts.controller';
import { AlertRepository } from './alert.repository';
import { AlertSetting } from './alert-setting.entity';
import { Alert } from './alert.entity';
import { AlertsProcessor } from './alerts.processor';
import { AlertsService } from './alerts.service';
import { WalletAlertsController } from './wallet-alerts.controller';

/** Warns owners before money or keys run out: once, until it is over. */
@Module({
  imports: [AccountsModule, BillingModule, DatabaseModule, TypeOrmModule.forFeature([Alert, AlertSetting])],
  controllers: [AccountAlertsController, WalletAlertsController],
  providers: [AlertRepository, AlertsProcessor, AlertsService],
})
export class AlertsModule {}
