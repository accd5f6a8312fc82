import { Module } from '@nestjs/common';

import { BillingModule } from '../billing/billing.module';
import { CatalogModule } from '../catalog/catalog.module';
import { MediaModule } from '../platform/media/media.module';
import { TelemetryModule } from '../platform/telemetry/telemetry.module';
import { ProvidersModule } from '../providers/providers.module';
import { ChatController } from './chat.controller';
import { ChatScreening } from './chat-screening';
import { ChatPricer } from './chat.pricer';
import { ChatService } from './chat.service';
import { StudioController } from './studio/studio.controller';
import { StudioImages } from './studio/studio-images';
import { StudioScreening } from './studio/studio-screening';
import { StudioService } from './studio/studio.service';
import { TextRoutes } from './text-routes';

@Module({
  imports: [BillingModule, CatalogModule, MediaModule, ProvidersModule, TelemetryModule],
  controllers: [ChatController, StudioController],
  providers: [
    ChatPricer,
    ChatScreening,
    ChatService,
    StudioImages,
    StudioScreening,
    StudioService,
    TextRoutes,
  ],
})
export class ChatModule {}
