import { Module } from '@nestjs/common';

import { BillingModule } from '#money/billing/billing.module';
import { CatalogModule } from '#models/catalog/catalog.module';
import { JobsModule } from '#work/jobs/jobs.module';
import { HttpModule } from '#platform/http/http.module';
import { MediaModule } from '#platform/media/media.module';
import { ProvidersModule } from '#models/providers/providers.module';
import { ReferencesModule } from '#work/references/references.module';
import { GenerateController } from './generate.controller';
import { GenerateSources } from './generate-sources';
import { GeneratePricer } from './generate.pricer';
import { GenerationService } from './generation.service';
import { ImagesController } from './images.controller';
import { ImagesPricer } from './images.pricer';
import { PromptScreening } from './prompt-screening';
import { ReferencePicks } from './reference-picks';
import { VideosController } from './videos.controller';
import { VideosPricer } from './videos.pricer';

/** The modules that a paid route for media needs. A module of a team gets them by its import of `GenerationModule`. */
const PARTS = [
  BillingModule,
  CatalogModule,
  HttpModule,
  JobsModule,
  MediaModule,
  ProvidersModule,
  ReferencesModule,
];

/** The routes that make images and videos. */
@Module({
  imports: PARTS,
  controllers: [GenerateController, ImagesController, VideosController],
  providers: [
    GeneratePricer,
    GenerateSources,
    GenerationService,
    ImagesPricer,
    PromptScreening,
    ReferencePicks,
    VideosPricer,
  ],
  exports: [...PARTS, GenerationService, PromptScreening, ReferencePicks],
})
export class GenerationModule {}
