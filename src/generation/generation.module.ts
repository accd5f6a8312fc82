import { Module } from '@nestjs/common';

import { BillingModule } from '../billing/billing.module';
import { CatalogModule } from '../catalog/catalog.module';
import { JobsModule } from '../jobs/jobs.module';
import { HttpModule } from '../platform/http/http.module';
import { ProvidersModule } from '../providers/providers.module';
import { GenerateController } from './generate.controller';
import { GeneratePricer } from './generate.pricer';
import { GenerationService } from './generation.service';
import { ImagesController } from './images.controller';
import { ImagesPricer } from './images.pricer';
import { MediaIntake } from './media-intake';
import { PromptScreening } from './prompt-screening';
import { VideosController } from './videos.controller';
import { VideosPricer } from './videos.pricer';

/** The routes that make images and videos. */
@Module({
  imports: [BillingModule, CatalogModule, HttpModule, JobsModule, ProvidersModule],
  controllers: [GenerateController, ImagesController, VideosController],
  providers: [GeneratePricer, GenerationService, ImagesPricer, MediaIntake, PromptScreening, VideosPricer],
})
export class GenerationModule {}
