import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '../../../src/billing/calls/paid';
import { Call, type PaidCall } from '../../../src/billing/calls/paid-call';
import { declareOperation } from '../../../src/billing/charges/operation';
import { CaptionsAnswer, CaptionsBody } from './captions.dto';
import { CaptionsPricer } from './captions.pricer';

const CAPTIONS = declareOperation({ name: 'captions', sold: 'One caption.' });

@ApiTags('captions')
@Controller('v1/agent/captions')
export class CaptionsController {
  @Post()
  @Paid(
    {
      operation: CAPTIONS,
      body: CaptionsBody,
      pricer: CaptionsPricer,
      limit: 'chat',
      runSecondsMax: 10,
      replaySeconds: 600,
      bodyBytesMax: 16 * 1024,
      generates: false,
      tool: {
        name: 'caption',
        title: 'Caption a text',
        about: 'Answers the first sentence of a text.',
        answer: CaptionsAnswer,
      },
      example: {
        body: { text: 'A red fox in the snow. It looks at us.' },
        answer: { caption: 'A red fox in the snow.' },
      },
    },
    {
      price: { min: '0.001', max: '0.003' },
      answers: [CaptionsAnswer],
    },
  )
  @ApiOperation({ summary: 'The first sentence of a text.', operationId: 'captions' })
  caption(@Call() { body }: PaidCall<CaptionsBody>): CaptionsAnswer {
    return { caption: (/^[^.!?]*[.!?]?/.exec(body.text)?.[0] ?? '').slice(0, 80) };
  }
}
