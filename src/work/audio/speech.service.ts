import { Injectable } from '@nestjs/common';

import type { PaidCall } from '#money/billing/calls/paid-call';
import { speechCost } from '#models/catalog/audio-price-calculator';
import { Catalog } from '#models/catalog/catalog';
import { codePoints } from '#models/catalog/token-estimate';
import { deadlineIn } from '#kernel/deadline';
import { SPEECH_TYPES } from '#models/providers/audio-provider';
import type { AudioFile } from './audio-file.interceptor';
import { AudioSubmission } from './audio-submission';
import type { SpeechBody } from './speech.dto';
import { speechOf } from './speech-request';

/** The service aborts speech that takes longer. */
export const SPEECH_SECONDS_MAX = 90;

/** Converts a text to speech, at the first route of the model that accepts the call. */
@Injectable()
export class SpeechService {
  constructor(
    private readonly catalog: Catalog,
    private readonly submission: AudioSubmission,
  ) {}

  async speak({ body, priced, chargeId = '', attempts }: PaidCall<SpeechBody>): Promise<AudioFile> {
    // The default may have changed since the call was priced.
    const { model, voice, format } = speechOf(this.catalog, { ...body, model: priced.modelId });
    const { input, speed } = body;
    const routes = model.routes.filter(({ formats = [] }) => formats.includes(format));
    const signal = deadlineIn(SPEECH_SECONDS_MAX); // All routes together have one deadline.
    const file = await this.submission.submit(
      { ...model, routes },
      { work: 'speech', attempts, cost: (unit) => speechCost(unit, codePoints(input)) },
      (provider, route) =>
        provider.speak({ model: route.model, input, voice, format, speed, ourId: chargeId }, signal),
    );
    return { type: SPEECH_TYPES[format], base64: file.toString('base64') };
  }
}
