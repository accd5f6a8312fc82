import { Body, Controller, Get, Header, HttpCode, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { JobListAnswer } from '#work/jobs/jobs.dto';
import { ApiIdempotencyKey } from '#platform/http/routes/idempotency-key';
import { ApiFailures } from '#platform/openapi/docs';
import { AdminAccountsService } from './admin-accounts.service';
import { AdminReportsService } from './admin-reports.service';
import {
  AdminAccount,
  AdminAccountsAnswer,
  AdminAccountsQuery,
  AdminChargesAnswer,
  AuditAnswer,
  BanBody,
  CreditBody,
  DriftAnswer,
  QueuesAnswer,
  ResetLinkAnswer,
  ResetLinkBody,
  AdminChargesQuery,
  AdminJobsQuery,
} from './admin.dto';
import { AdminGuard, ForAdmins } from './admin.guard';
import { PageQuery } from '#platform/http/routes/page-query';
import { InDocument } from '#platform/openapi/audience';

@ApiTags('admin')
@ApiSecurity('adminToken')
@UseGuards(AdminGuard)
@InDocument('account')
@Controller('v1/admin')
export class AdminController {
  constructor(
    private readonly accounts: AdminAccountsService,
    private readonly reports: AdminReportsService,
  ) {}

  @Get('accounts')
  @ApiOperation({
    summary: 'Accounts with their balances, all or those that a search finds.',
    operationId: 'adminListAccounts',
  })
  @ApiOkResponse({ type: AdminAccountsAnswer })
  @ApiFailures(400, 401, 403, 429)
  listAccounts(@Query() query: AdminAccountsQuery): Promise<AdminAccountsAnswer> {
    return this.accounts.list(query);
  }

  @Post('accounts/:id/ban')
  @ForAdmins('accounts')
  @HttpCode(200)
  @ApiOperation({ summary: 'Close an account: keys and sessions stop.', operationId: 'adminBan' })
  @ApiOkResponse({ type: AdminAccount })
  @ApiFailures(400, 401, 403, 404, 429)
  ban(@Param('id') id: string, @Body() body: BanBody, @Req() request: FastifyRequest): Promise<AdminAccount> {
    return this.accounts.ban(id, body.reason, request);
  }

  @Post('accounts/:id/unban')
  @ForAdmins('accounts')
  @HttpCode(200)
  @ApiOperation({ summary: 'Open a closed account again.', operationId: 'adminUnban' })
  @ApiOkResponse({ type: AdminAccount })
  @ApiFailures(400, 401, 403, 404, 429)
  unban(
    @Param('id') id: string,
    @Body() body: BanBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminAccount> {
    return this.accounts.unban(id, body.reason, request);
  }

  @Post('accounts/:id/reset-link')
  @ForAdmins('accounts')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Make a link with which a person sets a new password.',
    description:
      'For a person whose identity you have checked. The link works once, for a day; the audit records that it was made.',
    operationId: 'adminResetLink',
  })
  @ApiOkResponse({ type: ResetLinkAnswer })
  @ApiFailures(400, 401, 403, 404, 429)
  resetLink(
    @Param('id') id: string,
    @Body() body: ResetLinkBody,
    @Req() request: FastifyRequest,
  ): Promise<ResetLinkAnswer> {
    return this.accounts.resetLink(id, body, request);
  }

  @Post('accounts/:id/credit')
  @ForAdmins('money')
  @HttpCode(200)
  @ApiOperation({ summary: 'Give credits, with a reason.', operationId: 'adminCredit' })
  @ApiIdempotencyKey('Your idempotency key: the same key credits once.')
  @ApiOkResponse({ type: AdminAccount })
  @ApiFailures(400, 401, 403, 404, 422, 429)
  credit(
    @Param('id') id: string,
    @Body() body: CreditBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminAccount> {
    return this.accounts.credit(id, body, request);
  }

  @Get('charges')
  @ApiOperation({ summary: 'Charges, by state, payer, key or job.', operationId: 'adminListCharges' })
  @ApiOkResponse({ type: AdminChargesAnswer })
  @ApiFailures(400, 401, 403, 429)
  charges(@Query() query: AdminChargesQuery): Promise<AdminChargesAnswer> {
    return this.reports.charges(query);
  }

  @Get('jobs')
  @ApiOperation({ summary: 'The newest jobs, by status.', operationId: 'adminListJobs' })
  @ApiOkResponse({ type: JobListAnswer })
  @ApiFailures(400, 401, 403, 429)
  listJobs(@Query() { limit, status }: AdminJobsQuery): Promise<JobListAnswer> {
    return this.reports.jobsIn(status, limit);
  }

  @Get('queues')
  @ApiOperation({ summary: 'The lengths of the queues.', operationId: 'adminQueues' })
  @ApiOkResponse({ type: QueuesAnswer })
  @ApiFailures(401, 403, 429, 503)
  queues(): Promise<QueuesAnswer> {
    return this.reports.queueDepths();
  }

  @Get('drift')
  @ApiOperation({ summary: 'Whether the books balance, read now.', operationId: 'adminDrift' })
  @ApiOkResponse({ type: DriftAnswer })
  @ApiFailures(401, 403, 429)
  drift(): Promise<DriftAnswer> {
    return this.reports.drift();
  }

  @Get('audit')
  @ApiOperation({ summary: "The audit of operators' actions.", operationId: 'adminAudit' })
  @ApiOkResponse({ type: AuditAnswer })
  @ApiFailures(400, 401, 403, 429)
  audit(@Query() { limit, cursor }: PageQuery): Promise<AuditAnswer> {
    return this.reports.auditPage(limit, cursor);
  }
}
