import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { PERSON } from '#people/accounts/roles';
import type { Acting } from '#people/accounts/acting-person';
import { SignedIn } from '#people/accounts/session.guard';
import { CloseBody, ClosedAnswer, ClosingAnswer } from './account-closing.dto';
import { AccountClosingService } from './account-closing.service';

/** The end of a person's account. */
@ApiTags('account')
@Controller('v1/account/close')
export class AccountClosingController {
  constructor(private readonly closing: AccountClosingService) {}

  @Get()
  @AccountRoute({
    who: PERSON,
    summary:
      'A preview of closing your account: the objects that would end, and the balance that would be left.',
    operationId: 'previewAccountClosing',
    answer: ClosingAnswer,
    failures: [401, 429],
  })
  preview(@SignedIn() { person }: Acting): Promise<ClosingAnswer> {
    return this.closing.preview(person);
  }

  @Post()
  @AccountRoute({
    who: PERSON,
    needsProof: true,
    limit: 'signIn',
    summary: 'Close your account.',
    description:
      'Its keys, webhooks and invites are deleted, its sessions are revoked, and organisations without other members are closed, too. The balance stays on the books; only an operator can open the account again.',
    operationId: 'closeAccount',
    answer: ClosedAnswer,
    failures: [400, 401, 403, 409, 429, 503],
  })
  async close(
    @SignedIn() { person }: Acting,
    @Body() body: CloseBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ClosedAnswer> {
    return { ok: true, leftMicro: await this.closing.close(person, body, request, reply) };
  }
}
