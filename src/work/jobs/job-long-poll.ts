import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { EventStreams, leaving } from '#notices/events/event-streams';
import { LONG_POLL_SECONDS_MAX } from '#notices/events/stream-limits';
import { waitSecondsOf } from '#platform/http/routes/prefer-header';
import type { Job } from './job.entity';
import { JobSubscriptions } from './job-subscriptions';
import { JobsService } from './jobs.service';

/** Long polling for one job: with `Prefer: wait=n` the answer waits for the job's end, or for the time. */
@Injectable()
export class JobLongPoll {
  constructor(
    private readonly jobs: JobsService,
    private readonly subscriptions: JobSubscriptions,
    private readonly streams: EventStreams,
  ) {}

  async find(id: string, request: FastifyRequest, reply: FastifyReply): Promise<Job> {
    const job = await this.jobs.find(id);
    const seconds = Math.min(LONG_POLL_SECONDS_MAX, waitSecondsOf(request) ?? 0);
    if (job.status !== 'running' || seconds === 0) return job;
    await this.streams.wait(request, leaving(reply), undefined, seconds, (over) =>
      this.subscriptions.untilEnded(job, over),
    );
    // Read again, because its end and its refund may become visible at different times.
    return this.jobs.find(id);
  }
}
