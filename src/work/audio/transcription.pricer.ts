import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Pricer } from '#money/billing/calls/pricer';
import { AudioPriceCalculator } from '#models/catalog/audio-price-calculator';
import { Catalog } from '#models/catalog/catalog';
import type { PricedCall } from '#models/catalog/priced-call';
import { InvalidRequest } from '#kernel/app-error';
import { isWhole } from '#platform/http/body/body-bytes';
import { type FormFile, formFileOf } from '#platform/http/body/file-form';
import { RequestSlot } from '#platform/http/request-slot';
import { probeAudio } from '#platform/media/audio-probe';
import { UnsupportedMedia } from '#platform/media/media.errors';
import { getOrMake } from '#kernel/maps';
import type { TranscriptionBody } from './transcription.dto';

const RECORDING_SECONDS_MAX = 7_200;
const SOLD = 'send WAV, MP3, AAC in M4A, or Opus in Ogg or WebM, with one track';

/** A file whose duration is known. */
export interface Recording {
  readonly file: FormFile;
  readonly seconds: number;
}

@Injectable()
export class TranscriptionPricer extends Pricer<TranscriptionBody> {
  /** Keeps the result of the probe, because several steps price the same call. */
  private readonly recordings = new RequestSlot<Promise<Recording>>();

  constructor(
    private readonly catalog: Catalog,
    private readonly pricing: AudioPriceCalculator,
  ) {
    super();
  }

  async price(body: TranscriptionBody, request: FastifyRequest): Promise<PricedCall> {
    if (!isWhole(request)) return this.cheapest(); // The caller is unproven, and a later check refuses the call.
    const model = this.catalog.audioModel(body.model, 'transcription');
    const { seconds } = await this.recordingOf(request);
    return this.pricing.transcription(model, seconds);
  }

  cheapest(): PricedCall {
    return this.pricing.transcription(this.catalog.audioModel(undefined, 'transcription'), 0);
  }

  recordingOf(request: FastifyRequest): Promise<Recording> {
    return getOrMake(this.recordings, request, () => probed(formFileOf(request)));
  }
}

const probed = async (file: FormFile | undefined): Promise<Recording> => {
  if (file === undefined)
    throw new InvalidRequest('file must be a file of a multipart/form-data body.', { param: 'file' });
  const measured = await probeAudio(file.path, file.owner);
  if (measured === undefined || 'reason' in measured) {
    const reason = measured?.reason ?? 'cannot be read';
    throw new UnsupportedMedia('file', `${reason}, so it has no certain duration and no price; ${SOLD}`);
  }
  const { seconds } = measured;
  if (!(seconds > 0)) throw new UnsupportedMedia('file', `has no sound; ${SOLD}`);
  if (seconds > RECORDING_SECONDS_MAX) {
    throw new InvalidRequest(`file is longer than ${RECORDING_SECONDS_MAX} seconds; send it in parts.`, {
      param: 'file',
    });
  }
  return { file, seconds };
};
