import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import type { Acting } from '../accounts/acting';
import { SessionRoute, SignedIn } from '../accounts/session.guard';
import { micro, usdText } from '../kernel/money';
import { Audited } from '../organisations/audited';
import { HttpRoute } from '../platform/http/routes/route';
import { ApiFailures } from '../platform/openapi/docs';
import { CloseBody, ClosedAnswer, ClosingOrganisationAnswer } from './account-closing.dto';
import { AccountClosingService } from './account-closing.service';

/** The end of an organisation of several people. */
@ApiTags('organisations')
@SessionRoute()
@ApiParam({ name: 'org', schema: { type: 'string', maxLength: 60 } })
@Controller('v1/account/organisations/:org/close')
export class OrganisationClosingController {
  constructor(private readonly closing: AccountClosingService) {}

  @Get()
  @ApiOperation({
    summary: 'What would end with an organisation, and the balance that it would leave.',
    operationId: 'previewOrganisationClosing',
  })
  @ApiOkResponse({ type: ClosingOrganisationAnswer })
  @ApiFailures(401, 409)
  look(@SignedIn() acting: Acting): Promise<ClosingOrganisationAnswer> {
    return this.closing.lookAtOrganisation(acting);
  }

  @Post()
  @HttpCode(200)
  @HttpRoute({ limit: 'signIn' })
  @Audited('organisation.closed', ({ answer }: { answer: ClosedAnswer }) => ({
    detail: usdText(micro(BigInt(answer.leftMicro))),
  }))
  @ApiOperation({
    summary: 'Delete an organisation.',
    description:
      'For owners. Its keys, webhooks and invites end, and the other members leave. The balance and the audit stay on the books; only an ' +
      'operator can open it again, for the owner who deleted it. Your own organisation ends with `closeAccount` alone.',
    operationId: 'closeOrganisation',
  })
  @ApiOkResponse({ type: ClosedAnswer })
  @ApiFailures(400, 401, 409, 429, 503)
  async close(
    @SignedIn() acting: Acting,
    @Body() body: CloseBody,
    @Req() request: FastifyRequest,
  ): Promise<ClosedAnswer> {
    return { ok: true, leftMicro: await this.closing.closeOrganisation(acting, body, request) };
  }
}
