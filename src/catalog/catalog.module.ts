import { Module } from '@nestjs/common';

import { Catalog } from './catalog';
import { CatalogController } from './catalog.controller';
import { ChatPricing } from './chat-pricing';
import { MediaPricing } from './media-pricing';

@Module({
  controllers: [CatalogController],
  providers: [Catalog, ChatPricing, MediaPricing],
  exports: [Catalog, ChatPricing, MediaPricing],
})
export class CatalogModule {}
