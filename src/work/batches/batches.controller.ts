import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ForOwners, OWNER_ROUTE, Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { microToJson } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '#platform/http/routes/idempotency-key';
import { HttpRoute } from '#platform/http/routes/route';
import { ApiBodyLike, ApiFailures } from '#platform/openapi/docs';
import { BatchAnswer, BatchBody, BatchesAnswer, BatchesQuery } from './batches.dto';
import { BatchesService } from './batches.service';
import type { Batch, BatchStatus } from './batch.entity';
import type { CountedBatch } from './batch.repository';

/** Many calls at once, which run within a day, in the OpenAI shape. */
@ApiTags('generation')
@ApiSecurity('apiKey')
@ApiSecurity('bearerKey')
@ForOwners({ scope: 'studio' })
@Controller('v1/batches')
export class BatchesController {
  constructor(private readonly batches: BatchesService) {}

  @Post()
  @HttpCode(200)
  @HttpRoute({ ...OWNER_ROUTE, generates: true })
  @ApiOperation({
    summary: 'Run up to 10,000 calls within a day, in the OpenAI shape.',
    description:
      'All lines are checked and priced first; a wrong line is refused with a 400 that names it. The service ' +
      'reserves the most that all calls can cost. Each call then has its own charge, for its real use. The rest of ' +
      'the reserve returns at the end.',
    operationId: 'createBatch',
  })
  @ApiIdempotencyKey('Your idempotency key: the same call with the same key gets the same batch again.')
  @ApiBodyLike(BatchBody, {
    input_file_id: 'file_0mh2a1b3c2ZkYxQ0Vd7Wc1mJ5sT8rBg',
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  })
  @ApiOkResponse({ type: BatchAnswer, headers: REPLAYED_HEADER })
  @ApiFailures(400, 401, 402, 403, 404, 409, 422, 429, 451)
  async create(
    @Owner() owner: ProvenOwner,
    @Body() body: BatchBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BatchAnswer> {
    this.batches.refuseSignIn(owner);
    const { found, repeated } = await this.batches.create(owner, body, request);
    if (repeated) void reply.header('idempotent-replayed', 'true');
    return answerFor(found);
  }

  @Get()
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({ summary: 'Your batches, newest first. Free.', operationId: 'listBatches' })
  @ApiOkResponse({ type: BatchesAnswer })
  @ApiFailures(400, 401, 403, 429, 451)
  async list(@Owner() owner: ProvenOwner, @Query() { limit, after }: BatchesQuery): Promise<BatchesAnswer> {
    this.batches.refuseSignIn(owner);
    const found = await this.batches.list(owner, limit + 1, after);
    const data = found.slice(0, limit).map(answerFor);
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: found.length > limit,
    };
  }

  @Get(':id')
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({ summary: 'The state of a batch. Free.', operationId: 'getBatch' })
  @ApiOkResponse({ type: BatchAnswer })
  @ApiFailures(401, 403, 404, 429, 451)
  async batch(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<BatchAnswer> {
    this.batches.refuseSignIn(owner);
    return answerFor(await this.batches.find(owner, id));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({
    summary: 'Cancel a batch: no further call begins. Free.',
    description: 'Running calls end and are charged. An ended batch stays as it is.',
    operationId: 'cancelBatch',
  })
  @ApiOkResponse({ type: BatchAnswer })
  @ApiFailures(401, 403, 404, 429, 451)
  async cancel(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<BatchAnswer> {
    this.batches.refuseSignIn(owner);
    return answerFor(await this.batches.cancel(owner, id));
  }
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);
const secondsOrNull = (date: Date | undefined): number | null => ifPresent(date, seconds) ?? null;

const answerFor = ({ batch, done, failed }: CountedBatch): BatchAnswer => {
  const at = (status: BatchStatus): number | null => endedAs(batch, status);
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    errors: null,
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: batch.status,
    output_file_id: batch.outputFileId ?? null,
    error_file_id: batch.errorFileId ?? null,
    created_at: seconds(batch.createdAt),
    in_progress_at: secondsOrNull(batch.startedAt),
    expires_at: seconds(batch.expiresAt),
    finalizing_at: at('completed'),
    completed_at: at('completed'),
    failed_at: at('failed'),
    expired_at: at('expired'),
    cancelling_at: secondsOrNull(batch.cancellingAt),
    cancelled_at: at('cancelled'),
    request_counts: { total: batch.total, completed: done, failed },
    metadata: batch.metadata ?? null,
    heldMicro: microToJson(batch.held),
    discountPercent: batch.discountPercent,
    payingKeyId: batch.payingKeyId,
  };
};

const endedAs = ({ status, endedAt }: Batch, wanted: BatchStatus): number | null =>
  status === wanted ? secondsOrNull(endedAt) : null;
