import { Module } from '@nestjs/common';

import { ProvidersModule } from '../providers/providers.module';
import { Catalog } from './catalog';
import { CatalogController } from './catalog.controller';
import { ChatPricing } from './chat-pricing';
import { LiveCosts } from './live-costs';
import { MediaPricing } from './media-pricing';

@Module({
  imports: [ProvidersModule],
  controllers: [CatalogController],
  providers: [Catalog, ChatPricing, LiveCosts, MediaPricing],
  exports: [Catalog, ChatPricing, LiveCosts, MediaPricing],
})
export class CatalogModule {}
