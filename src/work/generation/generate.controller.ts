import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { Catalog } from '#models/catalog/catalog';
import { optionsOf } from '#models/catalog/media-pricing';
import { MediaDoneAnswer, type GenerateAnswer, GenerateBody, MediaRunningAnswer } from './generate.dto';
import { GeneratePricer } from './generate.pricer';
import { GenerationService } from './generation.service';
import { GenerateSources } from './generate-sources';
import type { PreparedMedia } from './source-media';
import { modelOf } from './media-request';
import { MEDIA } from './media-operation';
import { mediaScope } from './media-scope';
import { MEDIA_BODY_BYTES_MAX, MEDIA_REPLAY_SECONDS, MEDIA_RUN_SECONDS } from './media-limits';
import { InDocument } from '#platform/openapi/audience';

@ApiTags('generation')
@InDocument('crawlers')
@Controller('v1/agent/generate')
export class GenerateController {
  constructor(
    private readonly generation: GenerationService,
    private readonly catalog: Catalog,
  ) {}

  @Post()
  @Paid(
    {
      operation: MEDIA,
      body: GenerateBody,
      pricer: GeneratePricer,
      prepare: GenerateSources,
      limit: 'media',
      scope: mediaScope,
      runSecondsMax: MEDIA_RUN_SECONDS,
      replaySeconds: MEDIA_REPLAY_SECONDS,
      answer: 'from-job',
      bodyBytesMax: MEDIA_BODY_BYTES_MAX,
      uploads: {},
      generates: true,
      example: {
        body: { prompt: 'A red fox in the snow' },
        answer: { status: 'done', url: 'https://lamppost.example/media/med_1' },
      },
    },
    {
      price: 'media',
      answers: [MediaDoneAnswer, MediaRunningAnswer],
      discriminator: {
        propertyName: 'status',
        mapping: { done: MediaDoneAnswer, running: MediaRunningAnswer },
      },
      waits: true,
    },
  )
  @ApiOperation({ summary: 'Make an image or a video.', operationId: 'generate' })
  async generate(@Call() call: PaidCall<GenerateBody, PreparedMedia>): Promise<GenerateAnswer> {
    const model = modelOf(this.catalog, call.body);
    const job = await this.generation.run(call, {
      model,
      options: optionsOf(model, call.body),
      prompt: call.body.prompt,
    });
    const { references } = job;
    return job.status === 'done'
      ? { status: 'done', ...this.generation.placesOf(job), references }
      : { ...this.generation.running(job), references };
  }
}
