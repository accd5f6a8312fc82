import { PaidBody } from '#money/billing/calls/paid-body';
import { ChoiceField, NumberField, TextField } from '#platform/http/routes/fields';
import { SPEECH_FORMATS, type SpeechFormat } from '#models/providers/audio-provider';

export const SPEECH_CHARS_MAX = 4_096;

export class SpeechBody extends PaidBody {
  @TextField({ min: 1, max: 100, optional: true, about: 'A speech model; without it the default one.' })
  readonly model?: string;
  @TextField({
    min: 1,
    max: SPEECH_CHARS_MAX,
    about: 'What to say. Its characters are the price.',
    example: 'The lamps are lit.',
  })
  readonly input: string;
  @TextField({
    min: 1,
    max: 40,
    optional: true,
    about: "One of the model's `voices`; without it the first one.",
  })
  readonly voice?: string;
  @ChoiceField(SPEECH_FORMATS, { optional: true, about: "One of the model's `formats`. Default mp3." })
  readonly response_format?: SpeechFormat;
  @NumberField({ min: 0.25, max: 4, optional: true, about: 'Default 1.' }) readonly speed?: number;
}
