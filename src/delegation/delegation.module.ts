import { Module } from '@nestjs/common';

import { BillingModule } from '../billing/billing.module';
import { OrganisationsModule } from '../organisations/organisations.module';
import { DelegatedKeysController } from './delegated-keys.controller';
import { DelegatedKeysService } from './delegated-keys.service';

/** Delegated keys: money with a limit for agents and their helpers, for a time. */
@Module({
  imports: [OrganisationsModule, BillingModule],
  controllers: [DelegatedKeysController],
  providers: [DelegatedKeysService],
  exports: [DelegatedKeysService],
})
export class DelegationModule {}
