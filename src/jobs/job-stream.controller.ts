import { Controller, Get, Headers, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { EventStreams } from '../events/event-streams';
import { HttpRoute } from '../platform/http/routes/route';
import { ApiFailures, PublicRoute } from '../platform/openapi/docs';
import { JobEvents } from './job-events';
import { JobsService } from './jobs.service';

/** Streams the events of one job. Its id can't be guessed and serves as the permission. */
@ApiTags('events')
@Controller('v1/agent/jobs')
export class JobStreamController {
  constructor(
    private readonly jobs: JobsService,
    private readonly events: JobEvents,
    private readonly streams: EventStreams,
  ) {}

  @Get(':id/events')
  @HttpRoute({ limit: 'free' })
  @PublicRoute()
  @ApiOperation({
    summary: 'One job as a stream: accepted, how far it is, and how it ended. Free.',
    description:
      'Server-sent events: `job.accepted` first, `job.progress` (without an id: it is not kept) whenever there is some, ' +
      '`job.done` or `job.failed` last. `Last-Event-ID` leaves out what was seen.',
    operationId: 'streamJobEvents',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Of a stream that broke off.' })
  @ApiResponse({
    status: 200,
    description: 'The stream. It ends behind the last event.',
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
        sse.say(event.type, JSON.stringify(event), event.id);
        await sse.room();
      }
    });
  }
}
