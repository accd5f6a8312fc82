import { Controller, Post, UseInterceptors } from '@nestjs/common';
import { ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { TEXT_REPLAY_SECONDS } from '#money/billing/calls/replay-limits';
import { declareOperation } from '#money/billing/charges/operation';
import { prepaidRailNames } from '#money/billing/rails/rail-order';
import { type AudioFile, AudioFileInterceptor } from './audio-file.interceptor';
import { RECORDING_BYTES_MAX } from './recording';
import { TranscriptionAnswer, TranscriptionBody } from './transcription.dto';
import { TranscriptionPricer } from './transcription.pricer';
import { TRANSCRIPTION_SECONDS_MAX, TranscriptionService } from './transcription.service';

const TRANSCRIPTION = declareOperation({ name: 'transcription', sold: 'One recording, written down.' });

/**
 * The price depends on the whole file, so the headers must prove the payer before the service receives the form. Only a
 * payment of the exact price proves an x402 payer, so x402 can't pay here.
 */
@ApiTags('generation')
@Controller('v1/audio/transcriptions')
@UseInterceptors(AudioFileInterceptor)
export class TranscriptionController {
  constructor(private readonly transcriptions: TranscriptionService) {}

  @Post()
  @Paid(
    {
      operation: TRANSCRIPTION,
      rails: prepaidRailNames(),
      body: TranscriptionBody,
      pricer: TranscriptionPricer,
      limit: 'media',
      scope: 'audio',
      runSecondsMax: TRANSCRIPTION_SECONDS_MAX,
      replaySeconds: TEXT_REPLAY_SECONDS,
      bodyBytesMax: RECORDING_BYTES_MAX,
      generates: true,
      form: 'file',
      example: { body: { file: 'speech.mp3' }, answer: { text: 'The lamps are lit.' } },
    },
    { answers: [TranscriptionAnswer], files: ['text/plain'] },
  )
  @ApiConsumes('multipart/form-data')
  @ApiOperation({
    summary: 'Write down a recording, in the OpenAI shape.',
    description: 'Paid with a key, a session or a wallet’s sign-in, by the second of the file.',
    operationId: 'createTranscription',
  })
  create(@Call() call: PaidCall<TranscriptionBody>): Promise<TranscriptionAnswer | AudioFile> {
    return this.transcriptions.write(call);
  }
}
