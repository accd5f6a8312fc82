import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import type { Acting } from '#people/accounts/acting-person';
import { EVERY_ROLE } from '#people/accounts/roles';
import { AccountRoute } from '#people/accounts/routes/account-route';
import { SignedIn } from '#people/accounts/session.guard';
import { viewOfSession } from '#people/keys/visible-rows';
import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { audited } from '#people/accounts/audit/audited';
import { JOB_CANCELLED } from './jobs.audit';
import { JobCanceller } from './job-canceller';
import { JobListAnswer, NewestQuery, OwnJob, OwnJobsAnswer, OwnJobsQuery } from './jobs.dto';
import { JobsService } from './jobs.service';

const OWN = { counts: 'address', isForCrawlers: true } as const;

/**
 * The jobs of the caller: a signed-in person, a key or a wallet. Only their owner may use these routes. The id of a job
 * is enough for those of `jobs.controller.ts`.
 */
@Controller('v1')
export class OwnJobsController {
  constructor(
    private readonly jobs: JobsService,
    private readonly canceller: JobCanceller,
  ) {}

  @Get('account/jobs')
  @ApiTags('account')
  @AccountRoute({
    who: EVERY_ROLE,
    summary: "The account's newest jobs.",
    operationId: 'accountListJobs',
    answer: JobListAnswer,
    failures: [400, 401, 429],
  })
  listOfAccount(@SignedIn() acting: Acting, @Query() { limit }: NewestQuery): Promise<JobListAnswer> {
    return this.jobs.ofOwner(viewOfSession(acting), limit);
  }

  @Get('agent/jobs')
  @ApiTags('generation')
  @OwnerRoute({
    ...OWN,
    scope: 'read',
    summary: 'Your jobs, newest first. Free.',
    description:
      'For keys, sessions and wallets. Jobs that a wallet paid by x402 are listed for its sign-in.',
    operationId: 'listJobs',
    answer: OwnJobsAnswer,
    failures: [400],
  })
  list(
    @Owner() { view }: ProvenOwner,
    @Query() { cursor: before, ...query }: OwnJobsQuery,
  ): Promise<OwnJobsAnswer> {
    return this.jobs.page(view, { ...query, before });
  }

  @Post('agent/jobs/:id/cancel')
  @ApiTags('generation')
  @OwnerRoute({
    ...OWN,
    scope: 'cancel',
    audit: audited(JOB_CANCELLED, 'id'),
    summary: 'Cancel a running job, and get a refund. Free.',
    description:
      'Works while `cancellable` is true and the provider has not started: then the job has failed with ' +
      '`CANCELLED`, and the charge is refunded as for any late failure. Otherwise it answers 409 ' +
      '`CANCEL_TOO_LATE`, and the job runs on. Repeating it changes nothing.',
    operationId: 'cancelJob',
    answer: OwnJob,
    failures: [404, 409, 503],
  })
  async cancel(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<OwnJob> {
    return this.jobs.own(await this.canceller.cancel(id, owner));
  }
}
