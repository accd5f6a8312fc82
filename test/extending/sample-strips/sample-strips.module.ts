import { Module } from '@nestjs/common';

import { BillingModule } from '#money/billing/billing.module';
import { JobsModule } from '#work/jobs/jobs.module';
import { SampleStripsController } from './sample-strips.controller';
import { SampleStripsPricer } from './sample-strips.pricer';

@Module({
  imports: [BillingModule, JobsModule],
  controllers: [SampleStripsController],
  providers: [SampleStripsPricer],
})
export class SampleStripsModule {}
