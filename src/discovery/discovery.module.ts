import { Module } from '@nestjs/common';

import { OpenApiController } from './openapi.controller';
import { PublishedDocuments } from './published-documents';

@Module({ controllers: [OpenApiController], providers: [PublishedDocuments], exports: [PublishedDocuments] })
export class DiscoveryModule {}
