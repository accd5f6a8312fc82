import { Module } from '@nestjs/common';

import { BillingModule } from '#money/billing/billing.module';
import { AccountsModule } from '#people/accounts/accounts.module';
import { DelegatedKeysController } from './delegated-keys.controller';
import { DelegatedKeysService } from './delegated-keys.service';

/** Delegated keys: agents and their helpers may spend a limited amount for a limited time. */
@Module({
  imports: [AccountsModule, BillingModule],
  controllers: [DelegatedKeysController],
  providers: [DelegatedKeysService],
  exports: [DelegatedKeysService],
})
export class DelegationModule {}
