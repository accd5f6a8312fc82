import { Body, Controller, Get, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { OWNERS } from '#people/accounts/roles';
import { audited } from '#people/accounts/audit/audited';
import { ORGANISATION_CLOSED } from './credits.audit';
import type { Acting } from '#people/accounts/acting-person';
import { SignedIn } from '#people/accounts/session.guard';
import { micro, usdText } from '#kernel/money';
import { CloseBody, ClosedAnswer, ClosingOrganisationAnswer } from './account-closing.dto';
import { AccountClosingService } from './account-closing.service';

/** The end of an organisation of several people. */
@ApiTags('organisations')
@Controller('v1/account/organisations/:org/close')
export class OrganisationClosingController {
  constructor(private readonly closing: AccountClosingService) {}

  @Get()
  @AccountRoute({
    who: OWNERS,
    namesOrganisation: true,
    summary: 'What would end with an organisation, and the balance that it would leave.',
    operationId: 'previewOrganisationClosing',
    answer: ClosingOrganisationAnswer,
    failures: [401, 409],
  })
  preview(@SignedIn() acting: Acting): Promise<ClosingOrganisationAnswer> {
    return this.closing.previewOrganisation(acting);
  }

  @Post()
  @AccountRoute({
    who: OWNERS,
    needsProof: true,
    namesOrganisation: true,
    limit: 'signIn',
    audit: audited(ORGANISATION_CLOSED, ({ answer }: { answer: ClosedAnswer }) => ({
      detail: usdText(micro(BigInt(answer.leftMicro))),
    })),
    summary: 'Delete an organisation.',
    description:
      'For owners. Its keys, webhooks and invites are deleted, and the other members leave. The balance and the audit stay on the books; only an ' +
      'operator can open it again, for the owner who deleted it. Your own organisation ends with `closeAccount` alone.',
    operationId: 'closeOrganisation',
    answer: ClosedAnswer,
    failures: [400, 401, 409, 429, 503],
  })
  async close(
    @SignedIn() acting: Acting,
    @Body() body: CloseBody,
    @Req() request: FastifyRequest,
  ): Promise<ClosedAnswer> {
    return { ok: true, leftMicro: await this.closing.closeOrganisation(acting, body, request) };
  }
}
