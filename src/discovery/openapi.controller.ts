import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

import { PublishedDocuments } from './published-documents';

const JSON_TYPE = 'application/json; charset=utf-8';

@ApiExcludeController()
@Controller()
export class OpenApiController {
  constructor(private readonly documents: PublishedDocuments) {}

  @Get(['openapi.json', 'v1/agent/openapi.json', '.well-known/openapi.json'])
  @Header('content-type', JSON_TYPE)
  agent(): string {
    return this.documents.agent;
  }

  @Get('v1/account/openapi.json')
  @Header('content-type', JSON_TYPE)
  account(): string {
    return this.documents.account;
  }

  @Get('v1/extensions/openapi.json')
  @Header('content-type', JSON_TYPE)
  extensions(): string {
    return this.documents.extensions;
  }
}
