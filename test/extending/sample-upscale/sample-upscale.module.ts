import { Module } from '@nestjs/common';

import { GenerationModule } from '#work/generation/generation.module';
import { SampleUpscaleController } from './sample-upscale.controller';
import { SampleUpscalePricer } from './sample-upscale.pricer';
import { SampleUpscaleSources } from './sample-upscale-sources';

@Module({
  imports: [GenerationModule],
  controllers: [SampleUpscaleController],
  providers: [SampleUpscalePricer, SampleUpscaleSources],
})
export class SampleUpscaleModule {}
