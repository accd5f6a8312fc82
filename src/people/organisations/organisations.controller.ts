import {
  Body,
  Controller,
  Delete,
  Get,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Req,
  type StreamableFile,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { EVERYBODY, EVERY_ROLE, LEADS, PERSON } from '#people/accounts/roles';
import { audited } from '#people/accounts/audit/audited';
import {
  INVITE_MADE,
  INVITE_WITHDRAWN,
  MEMBER_BUDGET,
  MEMBER_CHANGED,
  MEMBER_JOINED,
  MEMBER_LEFT,
  MEMBER_REMOVED,
  ORGANISATION_MADE,
  ORGANISATION_RENAMED,
} from './organisations.audit';
import { DoneAnswer } from '#people/accounts/accounts.dto';
import type { Acting } from '#people/accounts/acting-person';
import { SignedIn } from '#people/accounts/session.guard';
import { micro, usdText } from '#kernel/money';
import { CsvExports } from '#platform/http/answers/csv-exports';
import { AuditService } from './audit.service';
import {
  InviteAnswer,
  InviteOfferAnswer,
  InvitesAnswer,
  JoinedAnswer,
  MemberAnswer,
  MemberBody,
  MemberBudgetBody,
  MembersAnswer,
  NewInviteAnswer,
  NewInviteBody,
  NewOrganisationBody,
  OrganisationAnswer,
  OrganisationAuditAnswer,
  OrganisationsAnswer,
  AuditQuery,
  AuditPageQuery,
} from './organisations.dto';
import { OrganisationsService } from './organisations.service';

const budgetText = ({ budgetMicro }: MemberBudgetBody): string =>
  budgetMicro === null ? 'no budget' : `a budget of $${usdText(micro(BigInt(budgetMicro)))} a month`;

const invited = ({ body }: { readonly body: NewInviteBody }): string =>
  `${body.email ?? 'anyone with the link'} as ${body.role}`;

/** Organisations: several people with one bill. */
@ApiTags('organisations')
@Controller('v1/account')
export class OrganisationsController {
  constructor(
    private readonly organisations: OrganisationsService,
    private readonly audit: AuditService,
    private readonly exports: CsvExports,
  ) {}

  @Get('organisations')
  @AccountRoute({
    who: PERSON,
    summary: 'The organisations that you belong to.',
    operationId: 'listOrganisations',
    answer: OrganisationsAnswer,
    failures: [401],
  })
  list(@SignedIn() acting: Acting): Promise<OrganisationsAnswer> {
    return this.organisations.list(acting);
  }

  @Post('organisations')
  @AccountRoute({
    who: PERSON,
    audit: audited(ORGANISATION_MADE, ({ answer }: { answer: OrganisationAnswer }) => ({
      organisationId: answer.id,
      detail: answer.name,
    })),
    summary: 'Make an organisation, and be its owner.',
    description:
      'An organisation has its own credits, keys, references, jobs and webhooks. Calls name it by `X-Organisation`.',
    operationId: 'createOrganisation',
    status: 201,
    answer: OrganisationAnswer,
    failures: [400, 401, 403, 409],
  })
  make(@SignedIn() acting: Acting, @Body() { name }: NewOrganisationBody): Promise<OrganisationAnswer> {
    return this.organisations.found(acting, name);
  }

  @Get('organisations/:org/members')
  @AccountRoute({
    who: EVERY_ROLE,
    namesOrganisation: true,
    summary: 'The members of an organisation.',
    operationId: 'listMembers',
    answer: MembersAnswer,
    failures: [401],
  })
  members(@SignedIn() acting: Acting): Promise<MembersAnswer> {
    return this.organisations.listMembers(acting);
  }

  @Patch('organisations/:org/members/:member')
  @AccountRoute({
    who: LEADS,
    namesOrganisation: true,
    audit: audited(
      MEMBER_CHANGED,
      ({ params, body }: { params: Record<string, string>; body: MemberBody }) => ({
        subject: params['member'],
        detail: body.role,
      }),
    ),
    summary: 'Give a member another role.',
    description: 'The keys of a member who becomes `billing` or `viewer` stop working.',
    operationId: 'changeMember',
    answer: MemberAnswer,
    failures: [400, 401, 409],
  })
  changeMember(
    @SignedIn() acting: Acting,
    @Param('member') member: string,
    @Body() body: MemberBody,
  ): Promise<MemberAnswer> {
    return this.organisations.changeMember(acting, member, body);
  }

  @Put('organisations/:org/members/:member/budget')
  @AccountRoute({
    who: LEADS,
    namesOrganisation: true,
    audit: audited(
      MEMBER_BUDGET,
      ({ params, body }: { params: Record<string, string>; body: MemberBudgetBody }) => ({
        subject: params['member'],
        detail: budgetText(body),
      }),
    ),
    summary: 'Set what a member may spend in a month.',
    description:
      'A call beyond it is refused with `MEMBER_BUDGET`. It counts the calls of their session and of the keys that they made, and the ' +
      'reserves of keys. The budget stays when they leave. Only owners change the budget of an owner, or their own.',
    operationId: 'setMemberBudget',
    answer: MemberAnswer,
    failures: [400, 401, 409],
  })
  setBudget(
    @SignedIn() acting: Acting,
    @Param('member') member: string,
    @Body() { budgetMicro }: MemberBudgetBody,
  ): Promise<MemberAnswer> {
    return this.organisations.setBudget(acting, member, budgetMicro);
  }

  @Delete('organisations/:org/members/:member')
  @AccountRoute({
    who: EVERY_ROLE,
    namesOrganisation: true,
    audit: audited(
      MEMBER_REMOVED,
      ({ params, personId }: { params: Record<string, string>; personId: string }) =>
        params['member'] === personId ? { action: MEMBER_LEFT } : { subject: params['member'] },
    ),
    summary: 'Remove a member, or leave.',
    description: 'The keys that they have made are disabled, and with them all below.',
    operationId: 'removeMember',
    answer: DoneAnswer,
    failures: [401, 409],
  })
  async removeMember(@SignedIn() acting: Acting, @Param('member') member: string): Promise<DoneAnswer> {
    await this.organisations.removeMember(acting, member);
    return { ok: true };
  }

  @Get('organisations/:org/invites')
  @AccountRoute({
    who: LEADS,
    namesOrganisation: true,
    summary: 'Invites that can still be used.',
    operationId: 'listInvites',
    answer: InvitesAnswer,
    failures: [401],
  })
  invites(@SignedIn() acting: Acting): Promise<InvitesAnswer> {
    return this.organisations.listInvites(acting);
  }

  @Post('organisations/:org/invites')
  @AccountRoute({
    who: LEADS,
    needsProof: true,
    namesOrganisation: true,
    audit: audited(INVITE_MADE, (done: { body: NewInviteBody; answer: InviteAnswer }) => ({
      subject: done.answer.id,
      detail: invited(done),
    })),
    summary: 'Make a link with which one person can join within 7 days.',
    description:
      'With an `email`, and if the service sends mail, the link is sent to that address alone, which proves the ' +
      'address. Otherwise send the link to the invited person yourself. The link is void once you lose your own right to ' +
      'invite.',
    operationId: 'createInvite',
    status: 201,
    answer: NewInviteAnswer,
    failures: [400, 401, 409, 429, 503],
  })
  invite(
    @SignedIn() acting: Acting,
    @Body() body: NewInviteBody,
    @Req() request: FastifyRequest,
  ): Promise<NewInviteAnswer> {
    return this.organisations.invite(acting, body, request);
  }

  @Delete('organisations/:org/invites/:invite')
  @AccountRoute({
    who: LEADS,
    namesOrganisation: true,
    audit: audited(INVITE_WITHDRAWN, 'invite'),
    summary: 'Withdraw an invite.',
    operationId: 'withdrawInvite',
    answer: DoneAnswer,
    failures: [401],
  })
  async withdrawInvite(@SignedIn() acting: Acting, @Param('invite') invite: string): Promise<DoneAnswer> {
    await this.organisations.withdrawInvite(acting, invite);
    return { ok: true };
  }

  @Patch('organisations/:org')
  @AccountRoute({
    who: LEADS,
    namesOrganisation: true,
    audit: audited(ORGANISATION_RENAMED, ({ body }: { body: NewOrganisationBody }) => ({
      detail: body.name.trim(),
    })),
    summary: 'Rename an organisation.',
    description: 'Owners and admins may. Your own organisation keeps your email address as its name.',
    operationId: 'renameOrganisation',
    answer: OrganisationAnswer,
    failures: [400, 401, 409],
  })
  rename(@SignedIn() acting: Acting, @Body() { name }: NewOrganisationBody): Promise<OrganisationAnswer> {
    return this.organisations.rename(acting, name);
  }

  @Get('invites/:token')
  @AccountRoute({
    who: EVERYBODY,
    summary: 'The invite behind a link: its maker, its organisation and the role.',
    description:
      'The link itself is the credential: a person reads it before they sign in or make an account.',
    operationId: 'getInvite',
    answer: InviteOfferAnswer,
    failures: [404, 410],
  })
  offer(@Param('token') token: string): Promise<InviteOfferAnswer> {
    return this.organisations.offer(token);
  }

  @Post('invites/:token/accept')
  @AccountRoute({
    who: PERSON,
    audit: audited(MEMBER_JOINED, ({ answer: { organisation } }: { answer: JoinedAnswer }) => ({
      organisationId: organisation.id,
      detail: organisation.role,
    })),
    summary: 'Join the organisation that invites you.',
    description:
      'An invite that was mailed to your address also proves the address. A first proof ends what `POST /v1/account/address-proof` ends.',
    operationId: 'acceptInvite',
    answer: JoinedAnswer,
    failures: [401, 403, 404, 409, 410],
  })
  async accept(
    @SignedIn() acting: Acting,
    @Param('token') token: string,
    @Req() request: FastifyRequest,
  ): Promise<JoinedAnswer> {
    return { organisation: await this.organisations.accept(acting, token, request) };
  }

  @Get('organisations/:org/audit')
  @AccountRoute({
    who: LEADS,
    namesOrganisation: true,
    summary: 'The audit of an organisation: each action with its member, address and time.',
    description: 'The audit lists actions in sessions. Jobs and charges document the calls of keys.',
    operationId: 'listAudit',
    answer: OrganisationAuditAnswer,
    failures: [400, 401],
  })
  auditPage(
    @SignedIn() { organisation }: Acting,
    @Query() { limit, cursor, action, member }: AuditPageQuery,
  ): Promise<OrganisationAuditAnswer> {
    return this.audit.page({ organisationId: organisation.id, action, actorId: member }, limit, cursor);
  }

  @Get('organisations/:org/audit.csv')
  @AccountRoute({
    who: LEADS,
    namesOrganisation: true,
    summary: 'The same as a file for a spreadsheet.',
    operationId: 'exportAudit',
    answer: 'csv',
    failures: [400, 401, 429],
  })
  auditCsv(@SignedIn() { organisation }: Acting, @Query() { action, member }: AuditQuery): StreamableFile {
    const lines = this.audit.csv({ organisationId: organisation.id, action, actorId: member });
    return this.exports.file(organisation.id, 'lamppost-audit.csv', lines);
  }
}
