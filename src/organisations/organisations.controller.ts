import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Req,
  type StreamableFile,
  applyDecorators,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { DoneAnswer } from '../accounts/accounts.dto';
import type { Acting } from '../accounts/acting';
import { SessionRoute, SignedIn } from '../accounts/session.guard';
import { micro, usdText } from '../kernel/money';
import { CsvExports } from '../platform/http/answers/csv-exports';
import { ApiFailures, PublicRoute } from '../platform/openapi/docs';
import { AuditService } from './audit.service';
import { Audited } from './audited';
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

/** A route for members of the organisation in its address. */
const OrganisationRoute = (): MethodDecorator =>
  applyDecorators(SessionRoute(), ApiParam({ name: 'org', schema: { type: 'string', maxLength: 60 } }));

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
  @SessionRoute()
  @ApiOperation({ summary: 'The organisations that you belong to.', operationId: 'listOrganisations' })
  @ApiOkResponse({ type: OrganisationsAnswer })
  @ApiFailures(401)
  list(@SignedIn() acting: Acting): Promise<OrganisationsAnswer> {
    return this.organisations.list(acting);
  }

  @Post('organisations')
  @SessionRoute()
  @Audited('organisation.made', ({ answer }: { answer: OrganisationAnswer }) => ({
    organisationId: answer.id,
    detail: answer.name,
  }))
  @ApiOperation({
    summary: 'Make an organisation, and be its owner.',
    description:
      'An organisation has its own credits, keys, references, jobs and webhooks. Calls name it by `X-Organisation`.',
    operationId: 'createOrganisation',
  })
  @ApiCreatedResponse({ type: OrganisationAnswer })
  @ApiFailures(400, 401, 403, 409)
  make(@SignedIn() acting: Acting, @Body() { name }: NewOrganisationBody): Promise<OrganisationAnswer> {
    return this.organisations.found(acting, name);
  }

  @Get('organisations/:org/members')
  @OrganisationRoute()
  @ApiOperation({ summary: 'The members of an organisation.', operationId: 'listMembers' })
  @ApiOkResponse({ type: MembersAnswer })
  @ApiFailures(401)
  members(@SignedIn() acting: Acting): Promise<MembersAnswer> {
    return this.organisations.listMembers(acting);
  }

  @Patch('organisations/:org/members/:member')
  @OrganisationRoute()
  @Audited('member.changed', ({ params, body }: { params: Record<string, string>; body: MemberBody }) => ({
    subject: params['member'],
    detail: body.role,
  }))
  @ApiOperation({
    summary: 'Give a member another role.',
    description: 'The keys of a member who becomes `billing` or `viewer` stop working.',
    operationId: 'changeMember',
  })
  @ApiOkResponse({ type: MemberAnswer })
  @ApiFailures(400, 401, 409)
  changeMember(
    @SignedIn() acting: Acting,
    @Param('member') member: string,
    @Body() body: MemberBody,
  ): Promise<MemberAnswer> {
    return this.organisations.changeMember(acting, member, body);
  }

  @Put('organisations/:org/members/:member/budget')
  @OrganisationRoute()
  @Audited(
    'member.budget',
    ({ params, body }: { params: Record<string, string>; body: MemberBudgetBody }) => ({
      subject: params['member'],
      detail: budgetText(body),
    }),
  )
  @ApiOperation({
    summary: 'Set what a member may spend in a month.',
    description:
      'A call beyond it is refused with `MEMBER_BUDGET`. It counts the calls of their session and of the keys that they made, and the ' +
      'reserves of keys. The budget stays when they leave. Only owners change the budget of an owner, or their own.',
    operationId: 'setMemberBudget',
  })
  @ApiOkResponse({ type: MemberAnswer })
  @ApiFailures(400, 401, 409)
  setBudget(
    @SignedIn() acting: Acting,
    @Param('member') member: string,
    @Body() { budgetMicro }: MemberBudgetBody,
  ): Promise<MemberAnswer> {
    return this.organisations.setBudget(acting, member, budgetMicro);
  }

  @Delete('organisations/:org/members/:member')
  @OrganisationRoute()
  @Audited('member.removed', ({ params, personId }: { params: Record<string, string>; personId: string }) =>
    params['member'] === personId ? { name: 'member.left' } : { subject: params['member'] },
  )
  @ApiOperation({
    summary: 'Remove a member, or leave.',
    description: 'The keys that they have made are disabled, and with them all below.',
    operationId: 'removeMember',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiFailures(401, 409)
  async removeMember(@SignedIn() acting: Acting, @Param('member') member: string): Promise<DoneAnswer> {
    await this.organisations.removeMember(acting, member);
    return { ok: true };
  }

  @Get('organisations/:org/invites')
  @OrganisationRoute()
  @ApiOperation({ summary: 'Invites that can still be used.', operationId: 'listInvites' })
  @ApiOkResponse({ type: InvitesAnswer })
  @ApiFailures(401)
  invites(@SignedIn() acting: Acting): Promise<InvitesAnswer> {
    return this.organisations.listInvites(acting);
  }

  @Post('organisations/:org/invites')
  @OrganisationRoute()
  @Audited('invite.made', (done: { body: NewInviteBody; answer: InviteAnswer }) => ({
    subject: done.answer.id,
    detail: invited(done),
  }))
  @ApiOperation({
    summary: 'Make a link with which one person can join within 7 days.',
    description:
      'With an `email`, and if the service sends mail, the link is sent to that address alone, which proves the ' +
      'address. Otherwise send the link to the invited person yourself. The link ends with your own right to ' +
      'invite.',
    operationId: 'createInvite',
  })
  @ApiCreatedResponse({ type: NewInviteAnswer })
  @ApiFailures(400, 401, 409, 429, 503)
  invite(
    @SignedIn() acting: Acting,
    @Body() body: NewInviteBody,
    @Req() request: FastifyRequest,
  ): Promise<NewInviteAnswer> {
    return this.organisations.invite(acting, body, request);
  }

  @Delete('organisations/:org/invites/:invite')
  @OrganisationRoute()
  @Audited('invite.withdrawn', ({ params }: { params: Record<string, string> }) => ({
    subject: params['invite'],
  }))
  @ApiOperation({ summary: 'Withdraw an invite.', operationId: 'withdrawInvite' })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiFailures(401)
  async withdrawInvite(@SignedIn() acting: Acting, @Param('invite') invite: string): Promise<DoneAnswer> {
    await this.organisations.withdrawInvite(acting, invite);
    return { ok: true };
  }

  @Patch('organisations/:org')
  @OrganisationRoute()
  @Audited('organisation.renamed', ({ body }: { body: NewOrganisationBody }) => ({
    detail: body.name.trim(),
  }))
  @ApiOperation({
    summary: 'Rename an organisation.',
    description: 'Owners and admins may. Your own organisation keeps your email address as its name.',
    operationId: 'renameOrganisation',
  })
  @ApiOkResponse({ type: OrganisationAnswer })
  @ApiFailures(400, 401, 409)
  rename(@SignedIn() acting: Acting, @Body() { name }: NewOrganisationBody): Promise<OrganisationAnswer> {
    return this.organisations.rename(acting, name);
  }

  @Get('invites/:token')
  @PublicRoute()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'The invite behind a link: its maker, its organisation and the role.',
    description:
      'The link itself is the credential: a person reads it before they sign in or make an account.',
    operationId: 'getInvite',
  })
  @ApiOkResponse({ type: InviteOfferAnswer })
  @ApiFailures(404, 410)
  offer(@Param('token') token: string): Promise<InviteOfferAnswer> {
    return this.organisations.offer(token);
  }

  @Post('invites/:token/accept')
  @HttpCode(200)
  @SessionRoute()
  @Audited('member.joined', ({ answer: { organisation } }: { answer: JoinedAnswer }) => ({
    organisationId: organisation.id,
    detail: organisation.role,
  }))
  @ApiOperation({
    summary: 'Join the organisation that invites you.',
    description:
      'An invite that was mailed to your address also proves the address. A first proof ends what `POST /v1/account/address-proof` ends.',
    operationId: 'acceptInvite',
  })
  @ApiOkResponse({ type: JoinedAnswer })
  @ApiFailures(401, 403, 404, 409, 410)
  async accept(
    @SignedIn() acting: Acting,
    @Param('token') token: string,
    @Req() request: FastifyRequest,
  ): Promise<JoinedAnswer> {
    return { organisation: await this.organisations.accept(acting, token, request) };
  }

  @Get('organisations/:org/audit')
  @OrganisationRoute()
  @ApiOperation({
    summary: 'The audit of an organisation: each action with its member, address and time.',
    description: 'The audit lists actions in sessions. Jobs and charges document the calls of keys.',
    operationId: 'listAudit',
  })
  @ApiOkResponse({ type: OrganisationAuditAnswer })
  @ApiFailures(400, 401)
  auditPage(
    @SignedIn() { organisation }: Acting,
    @Query() { limit, cursor, action, member }: AuditPageQuery,
  ): Promise<OrganisationAuditAnswer> {
    return this.audit.page({ organisationId: organisation.id, action, actorId: member }, limit, cursor);
  }

  @Get('organisations/:org/audit.csv')
  @OrganisationRoute()
  @ApiOperation({ summary: 'The same as a file for a spreadsheet.', operationId: 'exportAudit' })
  @ApiProduces('text/csv')
  @ApiOkResponse({ content: { 'text/csv': { schema: { type: 'string' } } } })
  @ApiFailures(400, 401, 429)
  auditCsv(@SignedIn() { organisation }: Acting, @Query() { action, member }: AuditQuery): StreamableFile {
    const lines = this.audit.csv({ organisationId: organisation.id, action, actorId: member });
    return this.exports.file(organisation.id, 'lamppost-audit.csv', lines);
  }
}
