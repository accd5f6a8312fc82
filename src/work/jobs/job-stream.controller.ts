import { Controller, Get, Headers, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { EventStreams } from '#notices/events/event-streams';
import { PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { JobEvents } from './job-events';
import { JobsService } from './jobs.service';
import { InDocument } from '#platform/openapi/audience';

/** Streams the events of one job. Its id can't be guessed and serves as the permission. */
@ApiTags('events')
@InDocument('crawlers')
@Controller('v1/agent/jobs')
export class JobStreamController {
  constructor(
    private readonly jobs: JobsService,
    private readonly events: JobEvents,
    private readonly streams: EventStreams,
  ) {}

  @Get(':id/events')
  @PublicRoute()
  @ApiOperation({
    summary: 'The events of one job as a stream: its acceptance, its progress and its end. Free.',
    description:
      'Server-sent events. The first is `job.accepted`, the last is `job.done` or `job.failed`. `job.progress` ' +
      'comes between them and has no id, because it is not kept. With `Last-Event-ID` the stream leaves out the ' +
      'events up to that one.',
    operationId: 'streamJobEvents',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last event before the stream broke off.',
  })
  @ApiResponse({
    status: 200,
    description: 'The stream. It ends after the last event.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  @ApiFailures(404)
  async follow(
    @Param('id') id: string,
    @Headers('last-event-id') lastId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    void reply.header('cache-control', 'no-store');
    const job = await this.jobs.find(id);
    await this.streams.stream(request, reply, undefined, async (sse) => {
      for await (const event of this.events.of(job, lastId, sse.over)) {
        sse.sendEvent(event.type, JSON.stringify(event), event.id);
        await sse.room();
      }
    });
  }
}
