import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import sharp from 'sharp';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { declareOperation } from '#money/billing/charges/operation';
import { InProcessMedia } from '#work/jobs/in-process-media';
import { JobsService } from '#work/jobs/jobs.service';
import { SampleStripsBody, StripAnswer } from './sample-strips.dto';
import { SampleStripsPricer } from './sample-strips.pricer';

const SAMPLE_STRIPS = declareOperation({ name: 'sample_strips', sold: 'One strip.', work: JobsService });

/** A shade of grey for each byte. */
const paint = (text: string): Promise<Buffer> => {
  const shades = Buffer.from(text);
  return sharp(shades, { raw: { width: shades.length, height: 1, channels: 1 } })
    .resize(512, 64, { kernel: 'nearest', fit: 'fill' })
    .png()
    .toBuffer();
};

@ApiTags('sample-strips')
@Controller('v1/agent/sample-strips')
export class SampleStripsController {
  constructor(private readonly media: InProcessMedia) {}

  @Post()
  @Paid(
    {
      operation: SAMPLE_STRIPS,
      body: SampleStripsBody,
      pricer: SampleStripsPricer,
      limit: 'media',
      runSecondsMax: 30,
      replaySeconds: 86_400,
      answer: 'from-job',
      bodyBytesMax: 16 * 1024,
      generates: false,
      example: {
        body: { text: 'A red fox in the snow.' },
        answer: { url: 'https://lamppost.example/media/med_1' },
      },
    },
    {
      price: { min: '0.001', max: '0.003' },
      answers: [StripAnswer],
    },
  )
  @ApiOperation({ summary: 'A text as a strip of grey.', operationId: 'sampleStrips' })
  async strip(@Call() call: PaidCall<SampleStripsBody>): Promise<StripAnswer> {
    return { url: await this.media.make(call, 'image', () => paint(call.body.text)) };
  }
}
