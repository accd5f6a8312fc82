import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { EVERY_ROLE, MAKERS } from '#people/accounts/roles';
import { audited } from '#people/accounts/audit/audited';
import { KEY_CHANGED, KEY_DELETED, KEY_MADE, KEY_ROTATED } from './keys.audit';
import type { Acting } from '#people/accounts/acting-person';
import { DoneAnswer } from '#people/accounts/accounts.dto';
import { SignedIn } from '#people/accounts/session.guard';
import { fieldsOf } from '#people/accounts/audit/audit-action';
import { ApiIdempotencyKey, REPLAYED_HEADER, idempotentCallOf } from '#platform/http/routes/idempotency-key';
import { KeyAnswer, KeyChangeBody, KeysAnswer, NewKeyAnswer, NewKeyBody, RotateBody } from './keys.dto';
import { KeyPageQuery } from './key-pages';
import { KeysService } from './keys.service';

@ApiTags('keys')
@Controller('v1/account/keys')
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Get()
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'Your keys, with their spending.',
    operationId: 'listKeys',
    answer: KeysAnswer,
    failures: [400, 401],
  })
  list(@SignedIn() acting: Acting, @Query() { limit, cursor: before }: KeyPageQuery): Promise<KeysAnswer> {
    return this.keys.list(acting, { limit, before });
  }

  @Post()
  @AccountRoute({
    who: MAKERS,
    needsProof: true,
    audit: audited(KEY_MADE, ({ answer }: { answer: NewKeyAnswer }) => ({ subject: answer.id })),
    summary: 'Make a key. The answer is the only one that shows it.',
    operationId: 'createKey',
    status: 201,
    answer: NewKeyAnswer,
    answerHeaders: REPLAYED_HEADER,
    failures: [400, 401, 403, 409, 410, 422],
  })
  @ApiIdempotencyKey('Your idempotency key: for a day, the same call with it gets the same API key again.')
  async create(
    @SignedIn() acting: Acting,
    @Body() body: NewKeyBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewKeyAnswer> {
    const { answer, repeated } = await this.keys.create(acting, body, idempotentCallOf(request));
    if (repeated) void reply.header('idempotent-replayed', 'true');
    return answer;
  }

  @Patch(':id')
  @AccountRoute({
    who: MAKERS,
    audit: audited(KEY_CHANGED, ({ answer, body }: { answer: KeyAnswer; body: KeyChangeBody }) => ({
      subject: answer.id,
      detail: fieldsOf(body),
    })),
    summary: 'Rename, enable, disable, or set expiry and limit.',
    description:
      'A developer cannot change a setting of a key that an owner or an admin of the organisation has set.',
    operationId: 'changeKey',
    answer: KeyAnswer,
    failures: [400, 401, 403, 404, 409],
  })
  change(
    @SignedIn() acting: Acting,
    @Param('id') id: string,
    @Body() body: KeyChangeBody,
  ): Promise<KeyAnswer> {
    return this.keys.change(acting, id, body);
  }

  @Post(':id/rotate')
  @AccountRoute({
    who: MAKERS,
    needsProof: true,
    audit: audited(KEY_ROTATED, ({ answer }: { answer: NewKeyAnswer }) => ({ subject: answer.id })),
    summary: 'Give a key a new secret. The answer is the only one that shows it.',
    description:
      'The present secret stays valid for `overlapSeconds`. The list of keys shows when each secret was last used.',
    operationId: 'rotateKey',
    answer: NewKeyAnswer,
    failures: [400, 401, 403, 404, 409],
  })
  rotate(
    @SignedIn() acting: Acting,
    @Param('id') id: string,
    @Body() { overlapSeconds }: RotateBody,
  ): Promise<NewKeyAnswer> {
    return this.keys.rotate(acting, id, overlapSeconds);
  }

  @Delete(':id')
  @AccountRoute({
    who: MAKERS,
    audit: audited(KEY_DELETED, 'id'),
    summary: 'Delete a key and all below it, at once and for good.',
    operationId: 'deleteKey',
    answer: DoneAnswer,
    failures: [401, 403, 404],
  })
  async delete(@SignedIn() acting: Acting, @Param('id') id: string): Promise<DoneAnswer> {
    await this.keys.delete(acting, id);
    return { ok: true };
  }
}
