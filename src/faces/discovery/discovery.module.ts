import { Module } from '@nestjs/common';

import { BillingModule } from '#money/billing/billing.module';
import { CatalogModule } from '#models/catalog/catalog.module';
import { IdentityModule } from '#people/identity/identity.module';
import { CurrentFacts } from './current-facts';
import { MachineDocumentsController } from './machine-documents.controller';
import { OpenApiController } from './openapi.controller';
import { PublishedDocuments } from './published-documents';
import { PublishedGuides } from './published-guides';

@Module({
  imports: [BillingModule, CatalogModule, IdentityModule],
  controllers: [OpenApiController, MachineDocumentsController],
  providers: [CurrentFacts, PublishedDocuments, PublishedGuides],
  exports: [PublishedDocuments, PublishedGuides],
})
export class DiscoveryModule {}
