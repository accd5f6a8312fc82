import { Module } from '@nestjs/common';

import { BillingModule } from '../billing/billing.module';
import { CatalogModule } from '../catalog/catalog.module';
import { JobsModule } from '../jobs/jobs.module';
import { HttpModule } from '../platform/http/http.module';
import { MediaModule } from '../platform/media/media.module';
import { ProvidersModule } from '../providers/providers.module';
import { ReferencesModule } from '../references/references.module';
import { GenerateController } from './generate.controller';
import { GeneratePricer } from './generate.pricer';
import { GenerationService } from './generation.service';
import { ImagesController } from './images.controller';
import { ImagesPricer } from './images.pricer';
import { PromptScreening } from './prompt-screening';
import { ReferencePicks } from './reference-picks';
import { SourceMedia } from './source-media';
import { VideosController } from './videos.controller';
import { VideosPricer } from './videos.pricer';

/** The routes that make images and videos. */
@Module({
  imports: [
    BillingModule,
    CatalogModule,
    HttpModule,
    JobsModule,
    MediaModule,
    ProvidersModule,
    ReferencesModule,
  ],
  controllers: [GenerateController, ImagesController, VideosController],
  providers: [
    GeneratePricer,
    GenerationService,
    ImagesPricer,
    PromptScreening,
    ReferencePicks,
    SourceMedia,
    VideosPricer,
  ],
})
export class GenerationModule {}
