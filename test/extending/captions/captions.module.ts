import { Module } from '@nestjs/common';

import { BillingModule } from '../../../src/billing/billing.module';
import { CaptionsController } from './captions.controller';
import { CaptionsPricer } from './captions.pricer';

@Module({ imports: [BillingModule], controllers: [CaptionsController], providers: [CaptionsPricer] })
export class CaptionsModule {}
