import { Module } from '@nestjs/common';

import { BillingModule } from '../billing/billing.module';
import { OrganisationsModule } from '../organisations/organisations.module';
import { DelegatedKeysController } from './delegated-keys.controller';
import { DelegatedKeysService } from './delegated-keys.service';

/** Handing on money with a limit: to agents, to their helpers, for a while. */
@Module({
  imports: [OrganisationsModule, BillingModule],
  controllers: [DelegatedKeysController],
  providers: [DelegatedKeysService],
})
export class DelegationModule {}
