import { Module } from '@nestjs/common';

import { GenerationModule } from '../../../src/generation/generation.module';
import { UpscaleController } from './upscale.controller';
import { UpscalePricer } from './upscale.pricer';
import { UpscaleSources } from './upscale-sources';

@Module({
  imports: [GenerationModule],
  controllers: [UpscaleController],
  providers: [UpscalePricer, UpscaleSources],
})
export class UpscaleModule {}
