import { Controller, Get, Header, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { Owners } from '#money/billing/calls/owners';
import { Audited } from '#people/accounts/audit/audited';
import { JOB_CANCELLED } from './jobs.audit';
import { ApiFailures, ApiOwner } from '#platform/openapi/docs';
import { JobCanceller } from './job-canceller';
import { OwnJob, OwnJobsAnswer, OwnJobsQuery } from './jobs.dto';
import { JobsService } from './jobs.service';
import { InDocument } from '#platform/openapi/audience';

/** The jobs of the caller. Only their owner may use these routes; a job's id alone is not enough. */
@ApiTags('generation')
@ApiOwner()
@InDocument('crawlers')
@Controller('v1/agent/jobs')
export class OwnJobsController {
  constructor(
    private readonly owners: Owners,
    private readonly jobs: JobsService,
    private readonly canceller: JobCanceller,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Your jobs, newest first. Free.',
    description:
      'For keys, sessions and wallets. Jobs that a wallet paid by x402 are listed for its sign-in.',
    operationId: 'listJobs',
  })
  @ApiOkResponse({ type: OwnJobsAnswer })
  @ApiFailures(400, 401, 403, 429, 451)
  async list(
    @Req() request: FastifyRequest,
    @Query() { cursor: before, ...query }: OwnJobsQuery,
  ): Promise<OwnJobsAnswer> {
    const { view } = await this.owners.ownerIn(request, 'read');
    return this.jobs.page(view, { ...query, before });
  }

  @Post(':id/cancel')
  @Audited(JOB_CANCELLED, ({ params }: { params: Record<string, string> }) => ({ subject: params['id'] }))
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Cancel a running job, and get a refund. Free.',
    description:
      'Works while `cancellable` is true and the provider has not started: then the job has failed with ' +
      '`CANCELLED`, and the charge is refunded as for any late failure. Otherwise it answers 409 ' +
      '`CANCEL_TOO_LATE`, and the job runs on. Repeating it changes nothing.',
    operationId: 'cancelJob',
  })
  @ApiOkResponse({ type: OwnJob })
  @ApiFailures(401, 403, 404, 409, 429, 451, 503)
  async cancel(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OwnJob> {
    const owner = await this.owners.ownerIn(request, 'cancel');
    return this.jobs.own(await this.canceller.cancel(id, owner));
  }
}
