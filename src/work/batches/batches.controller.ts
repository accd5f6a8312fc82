import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { microToJson } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { REPLAYED_HEADER } from '#platform/http/routes/idempotency-key';
import { BatchAnswer, BatchBody, BatchesAnswer, BatchesQuery } from './batches.dto';
import { BatchesService } from './batches.service';
import type { Batch, BatchStatus } from './batch.entity';
import type { CountedBatch } from './batch.repository';

const OWN = { scope: 'studio', keysFor: 'Batches' } as const;

/** Many calls at once, which run within a day, in the OpenAI shape. */
@ApiTags('generation')
@Controller('v1/batches')
export class BatchesController {
  constructor(private readonly batches: BatchesService) {}

  @Post()
  @OwnerRoute({
    ...OWN,
    http: { generates: true },
    summary: 'Run up to 10,000 calls within a day, in the OpenAI shape.',
    description:
      'All lines are checked and priced first; a wrong line is refused with a 400 that names it. The service ' +
      'reserves the most that all calls can cost. Each call then has its own charge, for its real use. The rest of ' +
      'the reserve returns at the end.',
    operationId: 'createBatch',
    idempotencyKey: 'Your idempotency key: the same call with the same key gets the same batch again.',
    body: BatchBody,
    example: {
      input_file_id: 'file_0mh2a1b3c2ZkYxQ0Vd7Wc1mJ5sT8rBg',
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    },
    answer: BatchAnswer,
    answerHeaders: REPLAYED_HEADER,
    failures: [400, 402, 404, 409, 422],
  })
  async create(
    @Owner() owner: ProvenOwner,
    @Body() body: BatchBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BatchAnswer> {
    const { found, repeated } = await this.batches.create(owner, body, request);
    if (repeated) void reply.header('idempotent-replayed', 'true');
    return answerFor(found);
  }

  @Get()
  @OwnerRoute({
    ...OWN,
    summary: 'Your batches, newest first. Free.',
    operationId: 'listBatches',
    answer: BatchesAnswer,
    failures: [400],
  })
  async list(@Owner() owner: ProvenOwner, @Query() { limit, after }: BatchesQuery): Promise<BatchesAnswer> {
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
  @OwnerRoute({
    ...OWN,
    summary: 'The state of a batch. Free.',
    operationId: 'getBatch',
    answer: BatchAnswer,
    failures: [404],
  })
  async batch(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<BatchAnswer> {
    return answerFor(await this.batches.find(owner, id));
  }

  @Post(':id/cancel')
  @OwnerRoute({
    ...OWN,
    summary: 'Cancel a batch: no further call begins. Free.',
    description: 'Running calls end and are charged. An ended batch stays as it is.',
    operationId: 'cancelBatch',
    answer: BatchAnswer,
    failures: [404],
  })
  async cancel(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<BatchAnswer> {
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
