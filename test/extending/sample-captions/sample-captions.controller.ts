import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { declareOperation } from '#money/billing/charges/operation';
import { SampleCaptionsAnswer, SampleCaptionsBody } from './sample-captions.dto';
import { SampleCaptionsPricer } from './sample-captions.pricer';

const SAMPLE_CAPTIONS = declareOperation({ name: 'sample_captions', sold: 'One caption.' });

@ApiTags('sample-captions')
@Controller('v1/agent/sample-captions')
export class SampleCaptionsController {
  @Post()
  @Paid(
    {
      operation: SAMPLE_CAPTIONS,
      body: SampleCaptionsBody,
      pricer: SampleCaptionsPricer,
      limit: 'chat',
      runSecondsMax: 10,
      replaySeconds: 600,
      bodyBytesMax: 16 * 1024,
      generates: false,
      tool: {
        name: 'sample_captions',
        title: 'Caption a text',
        about: 'Answers the first sentence of a text.',
        answer: SampleCaptionsAnswer,
      },
      example: {
        body: { text: 'A red fox in the snow. It looks at us.' },
        answer: { caption: 'A red fox in the snow.' },
      },
    },
    {
      price: { min: '0.001', max: '0.003' },
      answers: [SampleCaptionsAnswer],
    },
  )
  @ApiOperation({ summary: 'The first sentence of a text.', operationId: 'sampleCaptions' })
  caption(@Call() { body }: PaidCall<SampleCaptionsBody>): SampleCaptionsAnswer {
    return { caption: (/^[^.!?]*[.!?]?/.exec(body.text)?.[0] ?? '').slice(0, 80) };
  }
}
