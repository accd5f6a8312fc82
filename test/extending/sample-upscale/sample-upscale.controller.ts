import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { declareOperation } from '#money/billing/charges/operation';
import { Catalog } from '#models/catalog/catalog';
import { optionsOf } from '#models/catalog/media-price-calculator';
import { type GenerateAnswer, MediaDoneAnswer, MediaRunningAnswer } from '#work/generation/generate.dto';
import { GenerationService } from '#work/generation/generation.service';
import { modelOf } from '#work/generation/media-request';
import type { PreparedMedia } from '#work/generation/source-media';
import { JobsService } from '#work/jobs/jobs.service';
import { askOf, SampleUpscaleBody } from './sample-upscale.dto';
import { SampleUpscalePricer } from './sample-upscale.pricer';
import { SampleUpscaleSources } from './sample-upscale-sources';

const SAMPLE_UPSCALE = declareOperation({
  name: 'sample_upscale',
  sold: 'One enlarged picture.',
  work: JobsService,
});

@ApiTags('sample-upscale')
@Controller('v1/agent/sample-upscale')
export class SampleUpscaleController {
  constructor(
    private readonly generation: GenerationService,
    private readonly catalog: Catalog,
  ) {}

  @Post()
  @Paid(
    {
      operation: SAMPLE_UPSCALE,
      body: SampleUpscaleBody,
      pricer: SampleUpscalePricer,
      prepare: SampleUpscaleSources,
      limit: 'media',
      scope: 'image',
      runSecondsMax: 130,
      replaySeconds: 86_400,
      answer: 'from-job',
      bodyBytesMax: 12 * 1024 * 1024,
      uploads: {},
      generates: true,
      example: {
        body: {
          image:
            'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          scale: '2x',
        },
        answer: { status: 'done', url: 'https://lamppost.example/media/med_1' },
      },
    },
    {
      price: { min: '0.01', max: '1' },
      answers: [MediaDoneAnswer, MediaRunningAnswer],
      discriminator: {
        propertyName: 'status',
        mapping: { done: MediaDoneAnswer, running: MediaRunningAnswer },
      },
      waits: true,
    },
  )
  @ApiOperation({ summary: 'Enlarge a picture.', operationId: 'sampleUpscale' })
  async upscale(@Call() call: PaidCall<SampleUpscaleBody, PreparedMedia>): Promise<GenerateAnswer> {
    const ask = askOf(call.body);
    const model = modelOf(this.catalog, ask);
    const job = await this.generation.run(call, { model, options: optionsOf(model, ask), prompt: '' });
    return job.status === 'done'
      ? { status: 'done', ...this.generation.placesOf(job) }
      : this.generation.running(job);
  }
}
