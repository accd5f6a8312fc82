import { Controller, Post } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';

import { CHARGE_HEADERS, Paid } from '../billing/calls/paid';
import { Call, type PaidCall } from '../billing/calls/paid-call';
import { Catalog } from '../catalog/catalog';
import { optionsOf } from '../catalog/media-pricing';
import { MediaDoneAnswer, type GenerateAnswer, GenerateBody, MediaRunningAnswer } from './generate.dto';
import { GeneratePricer } from './generate.pricer';
import { GenerationService } from './generation.service';
import { MediaIntake, type PreparedMedia } from './media-intake';
import { modelOf } from './media-request';
import { MEDIA_BYTES_MAX, MEDIA_PRICES, MEDIA_REPLAY_SECONDS, MEDIA_RUN_SECONDS } from './media-route';

@ApiTags('generation')
@Controller('v1/agent/generate')
export class GenerateController {
  constructor(
    private readonly generation: GenerationService,
    private readonly catalog: Catalog,
  ) {}

  @Post()
  @Paid(
    {
      operation: 'media',
      body: GenerateBody,
      pricer: GeneratePricer,
      prepare: MediaIntake,
      limit: 'media',
      runSecondsMax: MEDIA_RUN_SECONDS,
      replaySeconds: MEDIA_REPLAY_SECONDS,
    },
    { ...MEDIA_PRICES, bodyBytesMax: MEDIA_BYTES_MAX, generates: true },
  )
  @ApiOperation({ summary: 'Make an image or a video.', operationId: 'generate' })
  @ApiExtraModels(MediaDoneAnswer, MediaRunningAnswer)
  @ApiOkResponse({
    headers: CHARGE_HEADERS,
    schema: {
      oneOf: [{ $ref: getSchemaPath(MediaDoneAnswer) }, { $ref: getSchemaPath(MediaRunningAnswer) }],
      discriminator: {
        propertyName: 'status',
        mapping: { done: getSchemaPath(MediaDoneAnswer), running: getSchemaPath(MediaRunningAnswer) },
      },
    },
  })
  async generate(@Call() call: PaidCall<GenerateBody, PreparedMedia>): Promise<GenerateAnswer> {
    const model = modelOf(this.catalog, call.body);
    const job = await this.generation.run(call, {
      model,
      options: optionsOf(model, call.body),
      prompt: call.body.prompt,
    });
    return job.status === 'done'
      ? { status: 'done', url: this.generation.urlOf(job) }
      : this.generation.running(job);
  }
}
