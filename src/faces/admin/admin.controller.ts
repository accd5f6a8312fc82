import { Body, Controller, Get, Param, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { JobListAnswer } from '#work/jobs/jobs.dto';
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
import { OperatorRoute } from './operator-route';
import { PageQuery } from '#platform/http/routes/page-query';

@ApiTags('admin')
@Controller('v1/admin')
export class AdminController {
  constructor(
    private readonly accounts: AdminAccountsService,
    private readonly reports: AdminReportsService,
  ) {}

  @Get('accounts')
  @OperatorRoute({
    summary: 'Accounts with their balances, all or those that a search finds.',
    operationId: 'adminListAccounts',
    answer: AdminAccountsAnswer,
    failures: [400],
  })
  listAccounts(@Query() query: AdminAccountsQuery): Promise<AdminAccountsAnswer> {
    return this.accounts.list(query);
  }

  @Post('accounts/:id/ban')
  @OperatorRoute({
    scope: 'accounts',
    summary: 'Close an account: keys and sessions stop.',
    operationId: 'adminBan',
    answer: AdminAccount,
    failures: [400, 404],
  })
  ban(@Param('id') id: string, @Body() body: BanBody, @Req() request: FastifyRequest): Promise<AdminAccount> {
    return this.accounts.ban(id, body.reason, request);
  }

  @Post('accounts/:id/unban')
  @OperatorRoute({
    scope: 'accounts',
    summary: 'Open a closed account again.',
    operationId: 'adminUnban',
    answer: AdminAccount,
    failures: [400, 404],
  })
  unban(
    @Param('id') id: string,
    @Body() body: BanBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminAccount> {
    return this.accounts.unban(id, body.reason, request);
  }

  @Post('accounts/:id/reset-link')
  @OperatorRoute({
    scope: 'accounts',
    summary: 'Make a link with which a person sets a new password.',
    description:
      'For a person whose identity you have checked. The link works once, for a day; the audit records that it was made.',
    operationId: 'adminResetLink',
    answer: ResetLinkAnswer,
    failures: [400, 404],
  })
  resetLink(
    @Param('id') id: string,
    @Body() body: ResetLinkBody,
    @Req() request: FastifyRequest,
  ): Promise<ResetLinkAnswer> {
    return this.accounts.resetLink(id, body, request);
  }

  @Post('accounts/:id/credit')
  @OperatorRoute({
    scope: 'money',
    summary: 'Give credits, with a reason.',
    operationId: 'adminCredit',
    idempotencyKey: 'Your idempotency key: the same key credits once.',
    answer: AdminAccount,
    failures: [400, 404, 422],
  })
  credit(
    @Param('id') id: string,
    @Body() body: CreditBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminAccount> {
    return this.accounts.credit(id, body, request);
  }

  @Get('charges')
  @OperatorRoute({
    summary: 'Charges, by state, payer, key or job.',
    operationId: 'adminListCharges',
    answer: AdminChargesAnswer,
    failures: [400],
  })
  charges(@Query() query: AdminChargesQuery): Promise<AdminChargesAnswer> {
    return this.reports.charges(query);
  }

  @Get('jobs')
  @OperatorRoute({
    summary: 'The newest jobs, by status.',
    operationId: 'adminListJobs',
    answer: JobListAnswer,
    failures: [400],
  })
  listJobs(@Query() { limit, status }: AdminJobsQuery): Promise<JobListAnswer> {
    return this.reports.jobsIn(status, limit);
  }

  @Get('queues')
  @OperatorRoute({
    summary: 'The lengths of the queues.',
    operationId: 'adminQueues',
    answer: QueuesAnswer,
    failures: [503],
  })
  queues(): Promise<QueuesAnswer> {
    return this.reports.queueDepths();
  }

  @Get('drift')
  @OperatorRoute({
    summary: 'Whether the books balance, read now.',
    operationId: 'adminDrift',
    answer: DriftAnswer,
  })
  drift(): Promise<DriftAnswer> {
    return this.reports.drift();
  }

  @Get('audit')
  @OperatorRoute({
    summary: "The audit of operators' actions.",
    operationId: 'adminAudit',
    answer: AuditAnswer,
    failures: [400],
  })
  audit(@Query() { limit, cursor }: PageQuery): Promise<AuditAnswer> {
    return this.reports.auditPage(limit, cursor);
  }
}
