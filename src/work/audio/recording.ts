import { InvalidRequest } from '#kernel/app-error';
import type { FormFile } from '#platform/http/body/file-form';
import { probeAudio } from '#platform/media/audio-probe';
import { UnsupportedMedia } from '#platform/media/media.errors';

/** OpenAI has the same limit for a file. */
export const RECORDING_BYTES_MAX = 25 * 1024 * 1024;
const RECORDING_SECONDS_MAX = 7_200;
const SOLD = 'send WAV, MP3, AAC in M4A, or Opus in Ogg or WebM, with one track';

/** A file whose duration is known. */
export interface Recording {
  readonly file: FormFile;
  readonly seconds: number;
}

/** The file of a form with its duration. Throws if the recording cannot be sold. */
export const probedRecording = async (file: FormFile | undefined): Promise<Recording> => {
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
