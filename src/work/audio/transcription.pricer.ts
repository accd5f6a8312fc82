import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Pricer } from '#money/billing/calls/pricer';
import { AudioPriceCalculator } from '#models/catalog/audio-price-calculator';
import { Catalog } from '#models/catalog/catalog';
import type { PricedCall } from '#models/catalog/priced-call';
import { isWhole } from '#platform/http/body/body-bytes';
import { formFileOf } from '#platform/http/body/file-form';
import { RequestSlot } from '#platform/http/request-slot';
import { getOrMake } from '#kernel/maps';
import { type Recording, probedRecording } from './recording';
import type { TranscriptionBody } from './transcription.dto';

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
    return getOrMake(this.recordings, request, () => probedRecording(formFileOf(request)));
  }
}
