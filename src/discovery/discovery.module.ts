import { Module } from '@nestjs/common';

import { CatalogModule } from '../catalog/catalog.module';
import { IdentityModule } from '../identity/identity.module';
import { MachineDocumentsController } from './machine-documents.controller';
import { OpenApiController } from './openapi.controller';
import { PublishedDocuments } from './published-documents';

@Module({
  imports: [CatalogModule, IdentityModule],
  controllers: [OpenApiController, MachineDocumentsController],
  providers: [PublishedDocuments],
  exports: [PublishedDocuments],
})
export class DiscoveryModule {}
