import { Module } from '@nestjs/common';

import { BillingModule } from '#money/billing/billing.module';
import { SampleCaptionsController } from './sample-captions.controller';
import { SampleCaptionsPricer } from './sample-captions.pricer';

@Module({
  imports: [BillingModule],
  controllers: [SampleCaptionsController],
  providers: [SampleCaptionsPricer],
})
export class SampleCaptionsModule {}
