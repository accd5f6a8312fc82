import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { DoneAnswer } from '#people/accounts/accounts.dto';
import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { micro, usdText } from '#kernel/money';
import { KeyPageQuery } from '#people/keys/key-pages';
import { audited } from '#people/accounts/audit/audited';
import { KEY_DELETED, KEY_MADE } from '#people/keys/keys.audit';
import { REPLAYED_HEADER, idempotentCallOf } from '#platform/http/routes/idempotency-key';
import { DelegatedKeyBody, DelegatedKeysAnswer, NewDelegatedKeyAnswer } from './delegated-keys.dto';
import { DelegatedKeysService } from './delegated-keys.service';

const OWN = { scope: 'keys', counts: 'both', isForCrawlers: true } as const;

@ApiTags('keys')
@Controller('v1/agent/keys')
export class DelegatedKeysController {
  constructor(private readonly keys: DelegatedKeysService) {}

  @Post()
  @OwnerRoute({
    ...OWN,
    audit: audited(KEY_MADE, ({ answer }: { answer: NewDelegatedKeyAnswer }) => ({
      subject: answer.id,
      detail: `, with $${usdText(micro(BigInt(answer.limitMicro)))} for agents`,
    })),
    needsProof: true,
    summary: 'Delegate a part of your money: a key with a limit and an end. Free.',
    description:
      'The key spends your money and can do no more than you: its calls count against it and every key above it. Its holder ' +
      'sees only its own jobs, events and balance. A wallet signs once and pays with the key from then on, at its own ' +
      'tier; that sign-in must name this address as its resource, and makes one key. Keys can be delegated three levels deep.',
    operationId: 'createDelegatedKey',
    idempotencyKey: 'Your idempotency key: for a day, the same call with it gets the same API key again.',
    body: DelegatedKeyBody,
    example: { name: 'helper', limitMicro: 1_000_000, expiresInSeconds: 3_600 },
    status: 201,
    answer: NewDelegatedKeyAnswer,
    answerHeaders: REPLAYED_HEADER,
    failures: [400, 402, 409, 410, 422],
  })
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
  @OwnerRoute({
    ...OWN,
    summary: 'The keys below you, with the limit and the spending of each. Free.',
    operationId: 'listDelegatedKeys',
    answer: DelegatedKeysAnswer,
    failures: [400],
  })
  list(
    @Owner() owner: ProvenOwner,
    @Query() { limit, cursor: before }: KeyPageQuery,
  ): Promise<DelegatedKeysAnswer> {
    return this.keys.list(owner, { limit, before });
  }

  @Delete(':id')
  @OwnerRoute({
    ...OWN,
    audit: audited(KEY_DELETED, 'id'),
    summary: 'End a key below you and all below it, at once and for good. Free.',
    description: 'The rest of its reserve returns to you.',
    operationId: 'deleteDelegatedKey',
    answer: DoneAnswer,
    failures: [404],
  })
  async delete(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<DoneAnswer> {
    await this.keys.end(owner, id);
    return { ok: true };
  }
}
