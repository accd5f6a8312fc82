import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Acting } from '../accounts/acting';
import { DoneAnswer } from '../accounts/accounts.dto';
import { ActingRoute, SignedIn } from '../accounts/session.guard';
import { Audited } from '../organisations/audited';
import { fieldsOf } from '../organisations/audit-actions';
import {
  ApiIdempotencyKey,
  REPLAYED_HEADER,
  idempotentCallOf,
} from '../platform/http/routes/idempotency-key';
import { ApiFailures } from '../platform/openapi/docs';
import { KeyAnswer, KeyChangeBody, KeysAnswer, NewKeyAnswer, NewKeyBody, RotateBody } from './keys.dto';
import { KeyPageQuery } from './key-pages';
import { KeysService } from './keys.service';

@ApiTags('keys')
@ActingRoute()
@Controller('v1/account/keys')
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Get()
  @ApiOperation({ summary: 'Your keys, with their spending.', operationId: 'listKeys' })
  @ApiOkResponse({ type: KeysAnswer })
  @ApiFailures(400, 401)
  list(@SignedIn() acting: Acting, @Query() { limit, cursor: before }: KeyPageQuery): Promise<KeysAnswer> {
    return this.keys.list(acting, { limit, before });
  }

  @Post()
  @Audited('key.made', ({ answer }: { answer: NewKeyAnswer }) => ({ subject: answer.id }))
  @ApiOperation({
    summary: 'Make a key. The answer is the only one that shows it.',
    operationId: 'createKey',
  })
  @ApiIdempotencyKey('Your idempotency key: for a day, the same call with it gets the same API key again.')
  @ApiCreatedResponse({ type: NewKeyAnswer, headers: REPLAYED_HEADER })
  @ApiFailures(400, 401, 403, 409, 410, 422)
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
  @Audited('key.changed', ({ answer, body }: { answer: KeyAnswer; body: KeyChangeBody }) => ({
    subject: answer.id,
    detail: fieldsOf(body),
  }))
  @ApiOperation({
    summary: 'Rename, enable, disable, or set expiry and limit.',
    description:
      'A developer cannot change a setting of a key that an owner or an admin of the organisation has set.',
    operationId: 'changeKey',
  })
  @ApiOkResponse({ type: KeyAnswer })
  @ApiFailures(400, 401, 403, 404, 409)
  change(
    @SignedIn() acting: Acting,
    @Param('id') id: string,
    @Body() body: KeyChangeBody,
  ): Promise<KeyAnswer> {
    return this.keys.change(acting, id, body);
  }

  @Post(':id/rotate')
  @Audited('key.rotated', ({ answer }: { answer: NewKeyAnswer }) => ({ subject: answer.id }))
  @HttpCode(200)
  @ApiOperation({
    summary: 'Give a key a new secret. The answer is the only one that shows it.',
    description:
      'The present secret stays valid for `overlapSeconds`. The list of keys shows when each secret was last used.',
    operationId: 'rotateKey',
  })
  @ApiOkResponse({ type: NewKeyAnswer })
  @ApiFailures(400, 401, 403, 404, 409)
  rotate(
    @SignedIn() acting: Acting,
    @Param('id') id: string,
    @Body() { overlapSeconds }: RotateBody,
  ): Promise<NewKeyAnswer> {
    return this.keys.rotate(acting, id, overlapSeconds);
  }

  @Delete(':id')
  @Audited('key.deleted', ({ params }: { params: Record<string, string> }) => ({ subject: params['id'] }))
  @ApiOperation({ summary: 'Delete a key and all below it, at once and for good.', operationId: 'deleteKey' })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiFailures(401, 403, 404)
  async delete(@SignedIn() acting: Acting, @Param('id') id: string): Promise<DoneAnswer> {
    await this.keys.delete(acting, id);
    return { ok: true };
  }
}
