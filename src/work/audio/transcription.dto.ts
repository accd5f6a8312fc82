import { PaidBody } from '#money/billing/calls/paid-body';
import { ChoiceField, ListField, NumberField, SchemaField, TextField } from '#platform/http/routes/fields';
import { TRANSCRIPT_FORMATS, type TranscriptFormat } from '#models/providers/audio-provider';

export class TranscriptionBody extends PaidBody {
  @SchemaField(
    { about: 'A sound file of at most 25 MB and two hours: WAV, MP3, AAC in M4A, or Opus in Ogg or WebM.' },
    { type: 'string', contentMediaType: 'application/octet-stream' },
  )
  readonly file: string;
  @TextField({
    min: 1,
    max: 100,
    optional: true,
    about: 'A transcription model; without it the default one.',
  })
  readonly model?: string;
  @SchemaField(
    { optional: true, about: 'The language of the file, by ISO 639-1.', example: 'en' },
    { type: 'string', pattern: '^[a-z]{2,3}$' },
  )
  readonly language?: string;
  @ChoiceField(TRANSCRIPT_FORMATS, {
    optional: true,
    about: 'Default json. `text`, `srt` and `vtt` answer plain text.',
  })
  readonly response_format?: TranscriptFormat;
}

export class TranscriptSegment {
  @NumberField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly start: number;
  @NumberField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly end: number;
  @TextField({ max: 100_000 }) readonly text: string;
}

export class TranscriptionAnswer {
  @TextField({ max: 10_000_000 }) readonly text: string;
  @TextField({ max: 40, optional: true, about: 'With `verbose_json`.' }) readonly language?: string;
  @NumberField({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    optional: true,
    about: 'Seconds, with `verbose_json`.',
  })
  readonly duration?: number;
  @ListField(() => TranscriptSegment, { optional: true, about: 'With `verbose_json`.' })
  readonly segments?: readonly TranscriptSegment[];
}
