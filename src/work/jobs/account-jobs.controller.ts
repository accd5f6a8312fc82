import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { EVERY_ROLE } from '#people/accounts/roles';
import type { Acting } from '#people/accounts/acting-person';
import { SignedIn } from '#people/accounts/session.guard';
import { viewOfSession } from '#people/keys/visible-rows';
import { JobListAnswer, NewestQuery } from './jobs.dto';
import { JobsService } from './jobs.service';

/** Lists the jobs of an account's keys and sessions that the person sees. */
@ApiTags('account')
@Controller('v1/account/jobs')
export class AccountJobsController {
  constructor(private readonly jobs: JobsService) {}

  @Get()
  @AccountRoute({
    who: EVERY_ROLE,
    summary: "The account's newest jobs.",
    operationId: 'accountListJobs',
    answer: JobListAnswer,
    failures: [400, 401, 429],
  })
  list(@SignedIn() acting: Acting, @Query() { limit }: NewestQuery): Promise<JobListAnswer> {
    return this.jobs.ofOwner(viewOfSession(acting), limit);
  }
}
