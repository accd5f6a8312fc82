import { Body, Controller, Delete, Get, Header, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { DoneAnswer } from '#people/accounts/accounts.dto';
import { ForOwners, Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { micro, usdText } from '#kernel/money';
import { KeyPageQuery } from '#people/keys/key-pages';
import { Audited } from '#people/accounts/audit/audited';
import { sessionRule } from '#people/accounts/routes/session-rule';
import { KEY_DELETED, KEY_MADE } from '#people/keys/keys.audit';
import { ApiIdempotencyKey, REPLAYED_HEADER, idempotentCallOf } from '#platform/http/routes/idempotency-key';
import { ApiBodyLike, ApiFailures, ApiOwner } from '#platform/openapi/docs';
import { DelegatedKeyBody, DelegatedKeysAnswer, NewDelegatedKeyAnswer } from './delegated-keys.dto';
import { DelegatedKeysService } from './delegated-keys.service';
import { HttpRoute } from '#platform/http/routes/route';
import { InDocument } from '#platform/openapi/audience';

@ApiTags('keys')
@ApiOwner()
@ForOwners({ scope: 'keys' })
@InDocument('crawlers')
@Controller('v1/agent/keys')
export class DelegatedKeysController {
  constructor(private readonly keys: DelegatedKeysService) {}

  @Post()
  @Audited(KEY_MADE, ({ answer }: { answer: NewDelegatedKeyAnswer }) => ({
    subject: answer.id,
    detail: `, with $${usdText(micro(BigInt(answer.limitMicro)))} for agents`,
  }))
  @HttpRoute(sessionRule({ needsProof: true }))
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Delegate a part of your money: a key with a limit and an end. Free.',
    description:
      'The key spends your money and can do no more than you: its calls count against it and every key above it. Its holder ' +
      'sees only its own jobs, events and balance. A wallet signs once and pays with the key from then on, at its own ' +
      'tier; that sign-in must name this address as its resource, and makes one key. Keys can be delegated three levels deep.',
    operationId: 'createDelegatedKey',
  })
  @ApiBodyLike(DelegatedKeyBody, { name: 'helper', limitMicro: 1_000_000, expiresInSeconds: 3_600 })
  @ApiIdempotencyKey('Your idempotency key: for a day, the same call with it gets the same API key again.')
  @ApiCreatedResponse({ type: NewDelegatedKeyAnswer, headers: REPLAYED_HEADER })
  @ApiFailures(400, 401, 402, 403, 409, 410, 422, 429, 451)
  async create(
    @Owner() owner: ProvenOwner,
    @Body() body: DelegatedKeyBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewDelegatedKeyAnswer> {
    const { answer, repeated } = await this.keys.create(owner, body, request, idempotentCallOf(request));
    if (repeated) void reply.header('idempotent-replayed', 'true');
    return answer;
  }

  @Get()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'The keys below you, with the limit and the spending of each. Free.',
    operationId: 'listDelegatedKeys',
  })
  @ApiOkResponse({ type: DelegatedKeysAnswer })
  @ApiFailures(400, 401, 403, 429, 451)
  list(
    @Owner() owner: ProvenOwner,
    @Query() { limit, cursor: before }: KeyPageQuery,
  ): Promise<DelegatedKeysAnswer> {
    return this.keys.list(owner, { limit, before });
  }

  @Delete(':id')
  @Audited(KEY_DELETED, ({ params }: { params: Record<string, string> }) => ({ subject: params['id'] }))
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'End a key below you and all below it, at once and for good. Free.',
    description: 'The rest of its reserve returns to you.',
    operationId: 'deleteDelegatedKey',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiFailures(401, 403, 404, 429, 451)
  async delete(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<DoneAnswer> {
    await this.keys.end(owner, id);
    return { ok: true };
  }
}
