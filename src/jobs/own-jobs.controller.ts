import { Controller, Get, Header, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { Owners } from '../billing/calls/owners';
import { TAG_CHARS_MAX } from '../billing/calls/paid-body';
import { Deed } from '../organisations/deed';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../platform/http/routes/idempotency-key';
import { ChoiceQuery, TextQuery, WholeQuery } from '../platform/http/routes/query';
import { ApiFailures } from '../platform/openapi/docs';
import { JOB_STATUSES, type JobStatus } from './job.entity';
import { JobCancelling } from './job-cancelling';
import { OwnJob, OwnJobsAnswer } from './jobs.dto';
import { JobsService } from './jobs.service';

const CURSOR_CHARS_MAX = 60;

/** The jobs of whoever asks: what only their owner may see or do, whoever else has the id of one. */
@ApiTags('generation')
@ApiSecurity('apiKey')
@ApiSecurity('bearerKey')
@ApiSecurity('walletSignIn')
@Controller('v1/agent/jobs')
export class OwnJobsController {
  constructor(
    private readonly owners: Owners,
    private readonly jobs: JobsService,
    private readonly cancelling: JobCancelling,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Your jobs, newest first. Free.',
    description: 'For keys, sessions and wallets. What a wallet has paid by x402 is listed for its sign-in.',
    operationId: 'listJobs',
  })
  @ApiQuery({ name: 'status', required: false, schema: { type: 'string', enum: [...JOB_STATUSES] } })
  @ApiQuery({
    name: 'tag',
    required: false,
    description: 'Only those of calls with this `tag`.',
    schema: { type: 'string', maxLength: TAG_CHARS_MAX },
  })
  @ApiQuery({
    name: 'idempotencyKey',
    required: false,
    description:
      'Only that of the call that was made under this `Idempotency-Key`, for a call whose answer was lost.',
    schema: { type: 'string', maxLength: IDEMPOTENCY_KEY_CHARS_MAX },
  })
  @ApiQuery({
    name: 'cursor',
    required: false,
    description: 'The `nextCursor` of the page before.',
    schema: { type: 'string' },
  })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  })
  @ApiOkResponse({ type: OwnJobsAnswer })
  @ApiFailures(400, 401, 403, 429, 451)
  async list(
    @Req() request: FastifyRequest,
    @Query('status', new ChoiceQuery('status', JOB_STATUSES)) status: JobStatus | undefined,
    // A character may be two units long.
    @Query('tag', new TextQuery('tag', 2 * TAG_CHARS_MAX)) tag: string | undefined,
    @Query('idempotencyKey', new TextQuery('idempotencyKey', IDEMPOTENCY_KEY_CHARS_MAX))
    idempotencyKey: string | undefined,
    @Query('cursor', new TextQuery('cursor', CURSOR_CHARS_MAX)) before: string | undefined,
    @Query('limit', new WholeQuery('limit', { min: 1, max: 200, default: 50 })) limit: number,
  ): Promise<OwnJobsAnswer> {
    const { id, onlyKey } = await this.owners.ownerIn(request, 'read');
    return this.jobs.page(id, { status, tag, idempotencyKey, before, limit, onlyKey });
  }

  @Post(':id/cancel')
  @Deed('job.cancelled', ({ params }: { params: Record<string, string> }) => ({ subject: params['id'] }))
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Cancel a running job, and get its money back. Free.',
    description:
      'Works while `cancellable` is true and whoever makes it has not begun: then the job has failed with ' +
      '`CANCELLED`, and the charge is given back as for any late failure. Otherwise it answers 409 ' +
      '`CANCEL_TOO_LATE`, and the job runs on. Repeating it changes nothing.',
    operationId: 'cancelJob',
  })
  @ApiOkResponse({ type: OwnJob })
  @ApiFailures(401, 403, 404, 409, 429, 451, 503)
  async cancel(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OwnJob> {
    const owner = await this.owners.ownerIn(request, 'cancel');
    return this.jobs.own(await this.cancelling.cancel(id, owner));
  }
}
