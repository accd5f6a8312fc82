import { Logger, Module, type OnModuleInit } from '@nestjs/common';

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
export class CatalogModule implements OnModuleInit {
  constructor(private readonly catalog: Catalog) {}

  onModuleInit(): void {
    const logger = new Logger('Catalog');
    for (const line of this.catalog.unsold) {
      logger.warn(
        `No ${line} is sold: no ${line} model of the catalog has a route whose provider is switched on. ` +
          'Its routes answer 503 NOT_OFFERED.',
      );
    }
    for (const what of this.catalog.unmade) {
      logger.warn(`No provider that is switched on makes ${what}: such calls fail, and are not charged.`);
    }
  }
}
