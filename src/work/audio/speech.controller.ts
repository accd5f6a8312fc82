import { Controller, Post, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { TEXT_REPLAY_SECONDS } from '#money/billing/calls/replay-limits';
import { declareOperation } from '#money/billing/charges/operation';
import { SPEECH_TYPES } from '#models/providers/audio-provider';
import { type AudioFile, AudioFileInterceptor } from './audio-file.interceptor';
import { SpeechBody } from './speech.dto';
import { SpeechPricer } from './speech.pricer';
import { SpeechScreening } from './speech-screening';
import { SPEECH_SECONDS_MAX, SpeechService } from './speech.service';
import { InDocument } from '#platform/openapi/audience';

/** Enough for 4096 escaped characters and the other fields. */
const BODY_BYTES_MAX = 64 * 1024;

const SPEECH = declareOperation({ name: 'speech', sold: 'One text, read out.' });

@ApiTags('generation')
@InDocument('crawlers')
@Controller('v1/audio/speech')
@UseInterceptors(AudioFileInterceptor)
export class SpeechController {
  constructor(private readonly speech: SpeechService) {}

  @Post()
  @Paid(
    {
      operation: SPEECH,
      body: SpeechBody,
      pricer: SpeechPricer,
      prepare: SpeechScreening,
      limit: 'media',
      scope: 'audio',
      runSecondsMax: SPEECH_SECONDS_MAX,
      replaySeconds: TEXT_REPLAY_SECONDS,
      bodyBytesMax: BODY_BYTES_MAX,
      generates: true,
      example: {
        body: { input: 'The lamps are lit.', voice: 'alloy' },
        answer: { dryRun: true, modelId: 'echo-voice', priceMicro: 4_546, rail: 'x402' },
      },
    },
    { price: 'media', answers: [], files: Object.values(SPEECH_TYPES) },
  )
  @ApiOperation({
    summary: 'Read a text out, in the OpenAI shape.',
    description: 'The answer is the audio file itself.',
    operationId: 'createSpeech',
  })
  create(@Call() call: PaidCall<SpeechBody>): Promise<AudioFile> {
    return this.speech.speak(call);
  }
}
