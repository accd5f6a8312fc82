import { Controller, Get, Header, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiConsumes, ApiHeader, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { Catalog } from '#models/catalog/catalog';
import { progressOf } from '#work/jobs/job';
import type { Job } from '#work/jobs/job.entity';
import { JobLongPoll } from '#work/jobs/job-long-poll';
import { reasonOf } from '#work/jobs/job-failures';
import { JobsService } from '#work/jobs/jobs.service';
import { Clock } from '#kernel/clock';
import { PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { GenerationService } from './generation.service';
import type { PreparedMedia } from './source-media';
import { MEDIA_ROUTE } from './media-route';
import { PromptScreening } from './prompt-screening';
import { videoRequestOf } from './video-request';
import { VideoAnswer, VideosBody } from './videos.dto';
import { VideosPricer } from './videos.pricer';
import { JobFailed, VideoNotReady } from './generation.errors';
import { InDocument } from '#platform/openapi/audience';
import { SETTINGS } from '#platform/config/settings';
import type { JobSettings } from '#work/jobs/jobs.settings';

const errorOf = (job: Job): VideoAnswer['error'] => ({
  code: job.errorCode === 'CANCELLED' ? 'CANCELLED' : 'JOB_FAILED',
  message: reasonOf(job),
});

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** Makes videos in the shape of OpenAI's API, for its stock clients. */
@ApiTags('generation')
@InDocument('crawlers')
@Controller('v1/agent/videos')
export class VideosController {
  constructor(
    private readonly generation: GenerationService,
    private readonly catalog: Catalog,
    private readonly jobs: JobsService,
    private readonly longPoll: JobLongPoll,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: JobSettings,
  ) {}

  @Post()
  @Paid(
    {
      ...MEDIA_ROUTE,
      body: VideosBody,
      pricer: VideosPricer,
      prepare: PromptScreening,
      form: true,
      example: {
        body: { prompt: 'Waves at night', seconds: '4', size: '1280x720' },
        answer: {
          id: 'job_1',
          object: 'video',
          status: 'queued',
          model: 'torch-video',
          size: '1280x720',
          seconds: '4',
          created_at: 1_795_257_670,
          progress: 0,
        },
      },
    },
    {
      price: 'media',
      answers: [VideoAnswer],
    },
  )
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiOperation({ summary: 'Start a video, in the OpenAI shape.', operationId: 'createVideo' })
  async create(@Call() call: PaidCall<VideosBody, PreparedMedia>): Promise<VideoAnswer> {
    // The default may have changed since the call was priced.
    const request = videoRequestOf(this.catalog, { ...call.body, model: call.priced.modelId });
    return this.answerOf(await this.generation.run(call, { ...request, prompt: call.body.prompt }));
  }

  @Get(':id')
  @Header('cache-control', 'no-store')
  @PublicRoute()
  @ApiOperation({ summary: 'The state of a video.', operationId: 'getVideo' })
  @ApiHeader({
    name: 'Prefer',
    required: false,
    description: '`wait=30`: wait so many seconds (60 at most) for its end.',
  })
  @ApiOkResponse({ type: VideoAnswer })
  @ApiFailures(404)
  async video(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<VideoAnswer> {
    return this.answerOf(await this.longPoll.find(id, request, reply));
  }

  @Get(':id/content')
  @Header('cache-control', 'no-store')
  @PublicRoute()
  @ApiOperation({ summary: 'The finished video: a redirect to the file.', operationId: 'getVideoContent' })
  @ApiResponse({
    status: 302,
    description: 'The file is at another address.',
    headers: { Location: { description: 'The address of the file.', schema: { type: 'string' } } },
  })
  @ApiFailures(404, 409, 410)
  async content(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const job = await this.jobs.find(id);
    if (job.status === 'failed') throw new JobFailed(reasonOf(job));
    const url = this.jobs.urlOf(job);
    if (url === undefined) throw new VideoNotReady();
    await reply.redirect(url, 302);
  }

  private answerOf(job: Job): VideoAnswer {
    const status = { running: 'in_progress', done: 'completed', failed: 'failed' }[job.status];
    const keptSeconds = this.settings.media.retentionDays * 86_400;
    return {
      id: job.id,
      object: 'video',
      status: job.status === 'running' && job.polls === 0 ? 'queued' : status,
      model: job.modelId,
      size: job.size ?? '',
      seconds: String(job.seconds ?? 0),
      created_at: seconds(job.createdAt),
      progress: progressOf(job, this.clock.now()),
      ...(job.finishedAt === undefined || job.status !== 'done'
        ? {}
        : { completed_at: seconds(job.finishedAt), expires_at: seconds(job.finishedAt) + keptSeconds }),
      error: job.status === 'failed' ? errorOf(job) : undefined,
    };
  }
}
