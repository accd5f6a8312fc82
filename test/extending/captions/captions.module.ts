import { Module } from '@nestjs/common';

import { BillingModule } from '../../../src/billing/billing.module';
import { JobsModule } from '../../../src/jobs/jobs.module';
import { CaptionsController } from './captions.controller';
import { CaptionsPricer } from './captions.pricer';
import { StripsController } from './strips.controller';

@Module({
  imports: [BillingModule, JobsModule],
  controllers: [CaptionsController, StripsController],
  providers: [CaptionsPricer],
})
export class CaptionsModule {}
