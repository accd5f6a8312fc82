import {
  AudioProvider,
  type SpeechRequest,
  type Transcript,
  type TranscriptionRequest,
  hasFormat,
} from '../audio-provider';
import { ProviderFault, asTextError } from '../http/provider-fault';
import { ProviderHttp } from '../http/provider-http';
import type { ProviderName } from '../provider-name';
import { type ServerAccess, authorizationOf } from './openai-server';
import { extensionOf, toTranscript } from './openai-audio.wire';
import { judge } from './openai.wire';

/** Longer than any server needs for speech of the longest permitted text. */
const HEADERS_MS_MAX = 60_000;
/** Larger than speech of the longest permitted text in any format. */
const SPEECH_BYTES_MAX = 24 * 1024 * 1024;

/** Long, because the answer arrives only at the end of the work. */
const TRANSCRIPT_MS_MAX = 290_000;
const TRANSCRIPT_BYTES_MAX = 8 * 1024 * 1024;

/** Makes speech and transcripts at OpenAI, or at a server with OpenAI's routes. */
export class OpenaiAudioProvider extends AudioProvider {
  private readonly http: ProviderHttp;

  constructor(
    readonly name: ProviderName,
    access: ServerAccess,
  ) {
    super();
    this.http = new ProviderHttp({
      name,
      baseUrl: access.baseUrl,
      headers: () => authorizationOf(access),
      judge,
    });
  }

  async speak(
    { model, input, voice, format, speed, ourId }: SpeechRequest,
    signal: AbortSignal,
  ): Promise<Buffer> {
    try {
      const file = await this.http.bytes({
        method: 'POST',
        path: 'audio/speech',
        json: { model, input, voice, response_format: format, speed },
        headers: { accept: '*/*', 'x-client-request-id': ourId },
        headersMsMax: HEADERS_MS_MAX,
        bytesMax: SPEECH_BYTES_MAX,
        signal,
      });
      if (!hasFormat(file, format)) throw new ProviderFault('unknown', `its answer is no ${format}`);
      return file;
    } catch (error) {
      throw asTextError(error);
    }
  }

  async transcribe(request: TranscriptionRequest, signal: AbortSignal): Promise<Transcript> {
    const { format, ourId } = request;
    try {
      const form = await formOf(request);
      const answer = await this.http.bytes({
        method: 'POST',
        path: 'audio/transcriptions',
        form,
        headers: { accept: '*/*', 'x-client-request-id': ourId },
        headersMsMax: TRANSCRIPT_MS_MAX,
        bytesMax: TRANSCRIPT_BYTES_MAX,
        signal,
      });
      return toTranscript(answer, format);
    } catch (error) {
      throw asTextError(error);
    }
  }

  override async close(): Promise<void> {
    await this.http.close();
  }
}

const formOf = async ({ model, recording, format, language }: TranscriptionRequest): Promise<FormData> => {
  const form = new FormData();
  form.append('model', model);
  form.append('response_format', format);
  if (language !== undefined) form.append('language', language);
  const extension = await extensionOf(recording);
  form.append('file', recording, `recording.${extension}`);
  return form;
};
