import { Module } from '@nestjs/common';

import { Catalog } from '../catalog/catalog';
import { CatalogModule } from '../catalog/catalog.module';
import { IdentityModule } from '../identity/identity.module';
import { Sanctions } from '../identity/sanctions';
import { PublishedKeys } from '../platform/config/published-keys';
import { SETTINGS, type Settings } from '../platform/config/settings';
import { FACTS, factsOf } from './facts';
import { MachineDocumentsController } from './machine-documents.controller';
import { OpenApiController } from './openapi.controller';
import { PublishedDocuments } from './published-documents';
import { PublishedGuides } from './published-guides';

@Module({
  imports: [CatalogModule, IdentityModule],
  controllers: [OpenApiController, MachineDocumentsController],
  providers: [
    PublishedDocuments,
    PublishedGuides,
    {
      provide: FACTS,
      inject: [SETTINGS, Catalog, Sanctions, PublishedKeys],
      useFactory: (settings: Settings, catalog: Catalog, sanctions: Sanctions, keys: PublishedKeys) =>
        factsOf(settings, catalog, sanctions.knowsRegions, keys.webhooks),
    },
  ],
  exports: [PublishedDocuments, PublishedGuides],
})
export class DiscoveryModule {}
