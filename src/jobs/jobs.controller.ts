import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { HttpRoute } from '../platform/http/routes/route';
import { ApiFailures, PublicRoute } from '../platform/openapi/docs';
import { JobAnswer } from './jobs.dto';
import { JobsService } from './jobs.service';

/** A job's id can't be guessed, so whoever has it may look at the job. */
@ApiTags('generation')
@Controller('v1/agent/jobs')
export class JobsController {
  constructor(private readonly jobs: JobsService) {}

  @Get(':id')
  @Header('cache-control', 'no-store')
  @HttpRoute({ limit: 'free' })
  @PublicRoute()
  @ApiOperation({ summary: 'How a job is, and where its result is. Free.', operationId: 'getJob' })
  @ApiOkResponse({ type: JobAnswer })
  @ApiFailures(404)
  job(@Param('id') id: string): Promise<JobAnswer> {
    return this.jobs.answer(id);
  }
}
