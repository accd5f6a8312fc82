import { Controller, Get, Header, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { Owners } from '#money/billing/calls/owners';
import { ApiFailures, ApiOwner } from '#platform/openapi/docs';
import { RequestsAnswer, RequestsPageQuery } from './requests.dto';
import { RequestsService } from './requests.service';

/** The request log for keys and wallets. */
@ApiTags('billing')
@ApiOwner()
@Controller('v1/agent/requests')
export class OwnRequestsController {
  constructor(
    private readonly owners: Owners,
    private readonly requests: RequestsService,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Your paid calls, newest first, refused and failed ones included. Free.',
    description: 'The log of `GET /v1/account/requests`, without the names of members.',
    operationId: 'listOwnRequests',
  })
  @ApiOkResponse({ type: RequestsAnswer })
  @ApiFailures(400, 401, 403, 429, 451)
  async list(
    @Req() request: FastifyRequest,
    @Query() { limit, cursor, ...filters }: RequestsPageQuery,
  ): Promise<RequestsAnswer> {
    const { view } = await this.owners.ownerIn(request, 'read');
    return this.requests.page({ view, showsMembers: false }, filters, limit, cursor);
  }
}
