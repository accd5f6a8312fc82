import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { Catalog } from '#models/catalog/catalog';
import { JobsService } from '#work/jobs/jobs.service';
import { MediaRunningAnswer } from './generate.dto';
import { GenerationService } from './generation.service';
import { imageRequestOf } from './image-request';
import { ImagesAnswer, ImagesBody } from './images.dto';
import { ImagesPricer } from './images.pricer';
import type { PreparedMedia } from './source-media';
import { MEDIA_ROUTE } from './media-route';
import { PromptScreening } from './prompt-screening';
import { InDocument } from '#platform/openapi/audience';

/** Makes images in the shape of OpenAI's API, for its stock clients. */
@ApiTags('generation')
@InDocument('crawlers')
@Controller('v1/agent/images/generations')
export class ImagesController {
  constructor(
    private readonly generation: GenerationService,
    private readonly catalog: Catalog,
    private readonly jobs: JobsService,
  ) {}

  @Post()
  @Paid(
    {
      ...MEDIA_ROUTE,
      body: ImagesBody,
      pricer: ImagesPricer,
      prepare: PromptScreening,
      example: {
        body: { prompt: 'A red fox in the snow', size: '1024x1024' },
        answer: { created: 1_795_257_670, data: [{ url: 'https://lamppost.example/media/med_1' }] },
      },
    },
    {
      price: 'media',
      answers: [ImagesAnswer, MediaRunningAnswer],
      waits: true,
    },
  )
  @ApiOperation({ summary: 'Make an image, in the OpenAI shape.', operationId: 'imagesGenerations' })
  async generate(
    @Call() call: PaidCall<ImagesBody, PreparedMedia>,
  ): Promise<ImagesAnswer | MediaRunningAnswer> {
    const { body } = call;
    const job = await this.generation.run(call, {
      // The default may have changed since the call was priced.
      ...imageRequestOf(this.catalog, { ...body, model: call.priced.modelId }),
      prompt: body.prompt,
    });
    if (job.status !== 'done') {
      return this.generation.running(job);
    }
    const data =
      body.response_format === 'b64_json'
        ? (await this.jobs.allBytesOf(job)).map((bytes) => ({ b64_json: bytes.toString('base64') }))
        : this.jobs.allUrlsOf(job).map((url) => ({ url }));
    return { created: Math.floor(job.createdAt.getTime() / 1_000), data };
  }
}
