import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import type { Acting } from '../accounts/acting';
import { ActingRoute, SignedIn } from '../accounts/session.guard';
import { viewOfSession } from '../keys/view';
import { ApiFailures } from '../platform/openapi/docs';
import { JobListAnswer, NewestQuery } from './jobs.dto';
import { JobsService } from './jobs.service';

/** Lists the jobs of an account's keys and sessions that the person sees. */
@ApiTags('account')
@ActingRoute()
@Controller('v1/account/jobs')
export class AccountJobsController {
  constructor(private readonly jobs: JobsService) {}

  @Get()
  @ApiOperation({ summary: "The account's newest jobs.", operationId: 'accountListJobs' })
  @ApiOkResponse({ type: JobListAnswer })
  @ApiFailures(400, 401, 429)
  list(@SignedIn() acting: Acting, @Query() { limit }: NewestQuery): Promise<JobListAnswer> {
    return this.jobs.ofOwner(viewOfSession(acting), limit);
  }
}
