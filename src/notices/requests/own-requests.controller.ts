import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { RequestsAnswer, RequestsPageQuery } from './requests.dto';
import { RequestsService } from './requests.service';

/** The request log for keys and wallets. */
@ApiTags('billing')
@Controller('v1/agent/requests')
export class OwnRequestsController {
  constructor(private readonly requests: RequestsService) {}

  @Get()
  @OwnerRoute({
    scope: 'read',
    counts: 'address',
    summary: 'Your paid calls, newest first, refused and failed ones included. Free.',
    description: 'The log of `GET /v1/account/requests`, without the names of members.',
    operationId: 'listOwnRequests',
    answer: RequestsAnswer,
    failures: [400],
  })
  list(
    @Owner() { view }: ProvenOwner,
    @Query() { limit, cursor, ...filters }: RequestsPageQuery,
  ): Promise<RequestsAnswer> {
    return this.requests.page({ view, showsMembers: false }, filters, limit, cursor);
  }
}
