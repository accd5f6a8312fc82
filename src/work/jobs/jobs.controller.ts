import { Controller, Get, Header, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { JobLongPoll } from './job-long-poll';
import { JobAnswer } from './jobs.dto';
import { JobsService } from './jobs.service';
import { InDocument } from '#platform/openapi/audience';

/** A job's id can't be guessed and serves as the permission to read it. */
@ApiTags('generation')
@InDocument('crawlers')
@Controller('v1/agent/jobs')
export class JobsController {
  constructor(
    private readonly jobs: JobsService,
    private readonly longPoll: JobLongPoll,
  ) {}

  @Get(':id')
  @Header('cache-control', 'no-store')
  @PublicRoute()
  @ApiOperation({
    summary: 'The state of a job, with the address of its result. Free.',
    operationId: 'getJob',
  })
  @ApiHeader({
    name: 'Prefer',
    required: false,
    description: '`wait=30`: wait so many seconds (60 at most) for its end.',
  })
  @ApiOkResponse({ type: JobAnswer })
  @ApiFailures(404)
  async job(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JobAnswer> {
    return this.jobs.answer(await this.longPoll.find(id, request, reply));
  }
}
