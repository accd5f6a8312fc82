import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Acting } from '../accounts/acting';
import { SessionRoute, SignedIn } from '../accounts/session.guard';
import { HttpRoute } from '../platform/http/routes/route';
import { ApiFailures } from '../platform/openapi/docs';
import { CloseBody, ClosedAnswer, ClosingAnswer } from './account-closing.dto';
import { AccountClosingService } from './account-closing.service';

/** The end of a person's account. */
@ApiTags('account')
@SessionRoute()
@Controller('v1/account/close')
export class AccountClosingController {
  constructor(private readonly closing: AccountClosingService) {}

  @Get()
  @ApiOperation({
    summary:
      'A preview of closing your account: the objects that would end, and the balance that would be left.',
    operationId: 'previewAccountClosing',
  })
  @ApiOkResponse({ type: ClosingAnswer })
  @ApiFailures(401, 429)
  look(@SignedIn() { person }: Acting): Promise<ClosingAnswer> {
    return this.closing.look(person);
  }

  @Post()
  @HttpCode(200)
  @HttpRoute({ limit: 'signIn' })
  @ApiOperation({
    summary: 'Close your account.',
    description:
      'Its sessions, keys, webhooks and invites end, and so do organisations without other members. The balance stays on the books; only an operator can open the account again.',
    operationId: 'closeAccount',
  })
  @ApiOkResponse({ type: ClosedAnswer })
  @ApiFailures(400, 401, 403, 409, 429, 503)
  async close(
    @SignedIn() { person }: Acting,
    @Body() body: CloseBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ClosedAnswer> {
    return { ok: true, leftMicro: await this.closing.close(person, body, request, reply) };
  }
}
