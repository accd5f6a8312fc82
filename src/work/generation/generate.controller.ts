import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { Catalog } from '#models/catalog/catalog';
import { optionsOf } from '#models/catalog/media-price-calculator';
import { MediaDoneAnswer, type GenerateAnswer, GenerateBody, MediaRunningAnswer } from './generate.dto';
import { GeneratePricer } from './generate.pricer';
import { GenerationService } from './generation.service';
import { GenerateSources } from './generate-sources';
import type { PreparedMedia } from './source-media';
import { MEDIA_ROUTE } from './media-route';
import { InDocument } from '#platform/openapi/audience';

/** Room for a video and two images of full size as data URIs, and for the other fields of the call. */
const BODY_BYTES_MAX = 80 * 1024 * 1024;

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
      ...MEDIA_ROUTE,
      body: GenerateBody,
      pricer: GeneratePricer,
      prepare: GenerateSources,
      bodyBytesMax: BODY_BYTES_MAX,
      uploads: {},
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
    // The default of a mode may have changed since the call was priced.
    const model = this.catalog.routeModel(call.priced.modelId);
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
