import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { EVERYBODY } from '#people/accounts/roles';
import { sessionRule } from '#people/accounts/routes/session-rule';
import { HttpRoute } from '#platform/http/routes/route';
import { Compressed, sendCompressed } from '#platform/http/answers/compressed';
import { PublicRoute } from '#platform/openapi/docs';
import { getOrMake } from '#kernel/maps';
import { PublishedDocuments } from './published-documents';

const JSON_TYPE = 'application/json; charset=utf-8';

type Name = 'agent' | 'crawlers' | 'account' | 'extensions';

/** The OpenAPI documents, compressed if the client accepts that. */
@ApiTags('catalog')
@Controller()
export class OpenApiController {
  private readonly compressed = new Map<Name, Compressed>();

  constructor(private readonly documents: PublishedDocuments) {}

  @Get(['openapi.json', '.well-known/openapi.json'])
  @ApiExcludeEndpoint()
  @Header('content-type', JSON_TYPE)
  crawlers(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.send('crawlers', request, reply);
  }

  @Get('v1/agent/openapi.json')
  @Header('content-type', JSON_TYPE)
  @PublicRoute()
  @ApiOperation({ summary: 'This document: every route for callers.', operationId: 'getOpenApi' })
  @ApiOkResponse({ schema: { type: 'object' } })
  agent(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.send('agent', request, reply);
  }

  @Get('v1/account/openapi.json')
  @ApiExcludeEndpoint()
  @HttpRoute(sessionRule({ who: EVERYBODY }))
  @Header('content-type', JSON_TYPE)
  account(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.send('account', request, reply);
  }

  @Get('v1/extensions/openapi.json')
  @ApiExcludeEndpoint()
  @Header('content-type', JSON_TYPE)
  extensions(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.send('extensions', request, reply);
  }

  private send(name: Name, request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    const make = (): Compressed => new Compressed(Buffer.from(this.documents[name]));
    return sendCompressed(request, reply, getOrMake(this.compressed, name, make));
  }
}
