import { Module } from '@nestjs/common';

import { BillingModule } from '#money/billing/billing.module';
import { CatalogModule } from '#models/catalog/catalog.module';
import { MarginsModule } from '#money/margins/margins.module';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { ProvidersModule } from '#models/providers/providers.module';
import { AudioSubmission } from './audio-submission';
import { SpeechController } from './speech.controller';
import { SpeechPricer } from './speech.pricer';
import { SpeechScreening } from './speech-screening';
import { SpeechService } from './speech.service';
import { TranscriptionController } from './transcription.controller';
import { TranscriptionPricer } from './transcription.pricer';
import { TranscriptionService } from './transcription.service';

/** The routes for speech and transcriptions. */
@Module({
  imports: [BillingModule, CatalogModule, MarginsModule, ProvidersModule, TelemetryModule],
  controllers: [SpeechController, TranscriptionController],
  providers: [
    AudioSubmission,
    SpeechPricer,
    SpeechScreening,
    SpeechService,
    TranscriptionPricer,
    TranscriptionService,
  ],
})
export class AudioModule {}
