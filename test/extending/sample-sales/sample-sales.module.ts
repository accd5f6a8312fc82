import { Module } from '@nestjs/common';

import { SampleSalesListener } from './sample-sales.listener';

@Module({ providers: [SampleSalesListener] })
export class SampleSalesModule {}
