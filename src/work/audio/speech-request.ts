import type { Catalog } from '#models/catalog/catalog';
import type { AudioModel } from '#models/catalog/catalog-models';
import { codePoints } from '#models/catalog/token-estimate';
import { NotOffered } from '#models/catalog/catalog.errors';
import { InvalidRequest } from '#kernel/app-error';
import type { SpeechFormat } from '#models/providers/audio-provider';
import { SPEECH_CHARS_MAX, type SpeechBody } from './speech.dto';

const DEFAULT_FORMAT: SpeechFormat = 'mp3';
/** Formats without lossy compression, in which slow speech makes a large file. */
const LARGE: ReadonlySet<SpeechFormat> = new Set(['wav', 'pcm', 'flac']);

/** A call for speech, checked against its model. */
export interface Speech {
  readonly model: AudioModel;
  readonly voice: string;
  readonly format: SpeechFormat;
}

const formatOf = ({ id, formats }: AudioModel, requested: SpeechFormat | undefined): SpeechFormat => {
  if (requested !== undefined && !formats.includes(requested))
    throw new NotOffered('response_format', id, formats, requested);
  const [first = DEFAULT_FORMAT] = formats;
  return requested ?? (formats.includes(DEFAULT_FORMAT) ? DEFAULT_FORMAT : first);
};

export const speechOf = (catalog: Catalog, body: SpeechBody): Speech => {
  const model = catalog.audioModel(body.model, 'speech');
  const voice = body.voice ?? model.voices[0] ?? '';
  if (!model.voices.includes(voice)) throw new NotOffered('voice', model.id, model.voices, voice);
  const format = formatOf(model, body.response_format);
  const { input, speed = 1 } = body;
  if (LARGE.has(format) && codePoints(input) > SPEECH_CHARS_MAX * speed) {
    throw new InvalidRequest(
      `At this speed ${format} takes at most ${Math.floor(SPEECH_CHARS_MAX * speed)} characters; ` +
        'send less text, or choose mp3.',
      { param: 'input', remedies: [{ param: 'response_format', value: DEFAULT_FORMAT }] },
    );
  }
  return { model, voice, format };
};
