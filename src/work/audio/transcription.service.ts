import { readFile } from 'node:fs/promises';

import { Injectable } from '@nestjs/common';

import type { PaidCall } from '#money/billing/calls/paid-call';
import { transcriptionCost } from '#models/catalog/audio-price-calculator';
import { Catalog } from '#models/catalog/catalog';
import { deadlineIn } from '#kernel/deadline';
import { ContentPolicy } from '#models/providers/policy/content-policy';
import { screenInSlices } from '#models/providers/policy/screening-slices';
import { ResultBlocked } from '#models/providers/policy/policy.errors';
import type { AudioFile } from './audio-file.interceptor';
import { AudioSubmission } from './audio-submission';
import type { TranscriptionAnswer, TranscriptionBody } from './transcription.dto';
import { TranscriptionPricer } from './transcription.pricer';

/** The transcription of a recording of two hours takes some minutes. */
export const TRANSCRIPTION_SECONDS_MAX = 300;

/** Transcribes a recording, at the first route of the model that accepts the call. */
@Injectable()
export class TranscriptionService {
  constructor(
    private readonly catalog: Catalog,
    private readonly pricer: TranscriptionPricer,
    private readonly submission: AudioSubmission,
    private readonly policy: ContentPolicy,
  ) {}

  async write(call: PaidCall<TranscriptionBody>): Promise<TranscriptionAnswer | AudioFile> {
    const { body, request, chargeId = '' } = call;
    // The default may have changed since the call was priced.
    const model = this.catalog.audioModel(call.priced.modelId, 'transcription');
    const { file, seconds } = await this.pricer.recordingOf(request);
    const format = body.response_format ?? 'json';
    const signal = deadlineIn(TRANSCRIPTION_SECONDS_MAX - 10); // All routes together have one deadline.
    const recording = new Blob([await readFile(file.path)]);
    const answer = await this.submission.submit(
      model,
      { work: 'transcription', attempts: call.attempts, cost: (unit) => transcriptionCost(unit, seconds) },
      (provider, route) =>
        provider.transcribe(
          { model: route.model, recording, seconds, format, language: body.language, ourId: chargeId },
          signal,
        ),
    );
    if (this.policy.screensResults) {
      const { verdict } = await screenInSlices(this.policy.of(model), answer.text);
      if (!verdict.allowed) throw new ResultBlocked(verdict.category);
    }
    if (format === 'json' || format === 'verbose_json') return answer;
    return { type: 'text/plain', base64: Buffer.from(answer.text).toString('base64') };
  }
}
