import { Inject, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { KeysModule } from '#people/keys/keys.module';
import { ScopeModels } from '#people/keys/scope-models';
import { DatabaseModule } from '#platform/database/database.module';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { type CommonSettings, SETTINGS } from '#platform/config/settings';
import { ProvidersModule } from '#models/providers/providers.module';
import { isSandboxOn } from '#models/providers/vendors';
import { AudioPriceCalculator } from './audio-price-calculator';
import { idsBelowCost } from './below-cost';
import { BOOK_DAYS_MAX, bookAgeDays } from './book/price-book';
import { Catalog } from './catalog';
import { CatalogController } from './catalog.controller';
import { CatalogMetrics } from './catalog.metrics';
import { type CatalogSettings, isAutomatic } from './catalog.settings';
import { ChatPriceCalculator } from './chat-price-calculator';
import { StoredChoice } from './choices/model-choice.entity';
import { ModelChoiceRepository } from './choices/model-choice.repository';
import { ModelChoices } from './choices/model-choices';
import { ListAgreement, VendorList } from './listed/vendor-list.entity';
import { VendorListRepository } from './listed/vendor-list.repository';
import { VendorLists } from './listed/vendor-lists';
import { LiveCosts } from './live-costs';
import { MediaPriceCalculator } from './media-price-calculator';
import { OffSwitch } from './off-switch.entity';
import { OffSwitchRepository } from './off-switch.repository';
import { OffSwitches } from './off-switches';

@Module({
  imports: [
    DatabaseModule,
    KeysModule,
    ProvidersModule,
    TelemetryModule,
    TypeOrmModule.forFeature([ListAgreement, OffSwitch, StoredChoice, VendorList]),
  ],
  controllers: [CatalogController],
  providers: [
    AudioPriceCalculator,
    Catalog,
    CatalogMetrics,
    ChatPriceCalculator,
    LiveCosts,
    MediaPriceCalculator,
    ModelChoiceRepository,
    ModelChoices,
    OffSwitchRepository,
    OffSwitches,
    VendorListRepository,
    VendorLists,
  ],
  exports: [
    AudioPriceCalculator,
    Catalog,
    ChatPriceCalculator,
    LiveCosts,
    MediaPriceCalculator,
    ModelChoices,
    OffSwitches,
    VendorLists,
  ],
})
export class CatalogModule implements OnModuleInit {
  constructor(
    private readonly catalog: Catalog,
    private readonly scopes: ScopeModels,
    @Inject(SETTINGS) private readonly settings: CommonSettings & CatalogSettings,
  ) {}

  onModuleInit(): void {
    this.scopes.use(this.catalog.ids);
    const logger = new Logger('Catalog');
    for (const line of isAutomatic(this.settings) ? [] : this.catalog.unsold) {
      logger.warn(
        `No ${line} is sold: no ${line} model of the catalog has a route whose provider is switched on. ` +
          'Its routes answer 503 NOT_OFFERED.',
      );
    }
    const below = idsBelowCost(this.catalog);
    if (below.length > 0)
      logger.warn(`These models sell below the costUsd of their routes: ${below.join(', ')}.`);
    const days = bookAgeDays(Date.now());
    if (!isSandboxOn(this.settings) && days > BOOK_DAYS_MAX)
      logger.warn(`The book of prices is ${days} days old. A newer release of the service has newer prices.`);
    for (const what of this.catalog.unmade) {
      logger.warn(`No provider that is switched on makes ${what}: such calls fail, and are not charged.`);
    }
  }
}
