import { setTimeout as pause } from 'node:timers/promises';

import {
  AudioProvider,
  type SpeechFormat,
  type SpeechRequest,
  type Transcript,
  type TranscriptFormat,
  type TranscriptionRequest,
} from '../audio-provider';
import { NotServed, ProviderFailed } from '../providers.errors';
import { directivesIn } from './directives';
import { silentMp3, tone, wavOf } from './tone';

/** The formats that the sandbox can make without an encoder. */
export const SANDBOX_SPEECH: readonly SpeechFormat[] = ['mp3', 'wav', 'pcm'];

/** About the speed of a person who reads aloud. */
const CHARS_PER_SECOND = 15;
const SECONDS_MAX = 20;

/**
 * Works offline. Makes a valid file of the right length: a tone whose pitch depends on the voice, or silence as MP3.
 */
export class SandboxAudioProvider extends AudioProvider {
  readonly name = 'sandbox';

  async speak({ input, voice, format, speed = 1 }: SpeechRequest, signal: AbortSignal): Promise<Buffer> {
    const { reject, fail, timeout, delayMs = 0 } = directivesIn(input);
    if (reject || fail) throw new ProviderFailed();
    if (timeout) await pause(2 ** 31 - 1, undefined, { signal, ref: false });
    if (delayMs > 0) await pause(delayMs, undefined, { signal });
    const seconds = Math.min(SECONDS_MAX, Math.max(0.2, input.length / CHARS_PER_SECOND / speed));
    if (format === 'mp3') return silentMp3(seconds);
    const samples = tone(seconds, 220 + (voice.length % 8) * 55);
    if (format === 'wav') return wavOf(samples);
    if (format === 'pcm') return samples;
    throw new NotServed(undefined, 'response_format');
  }

  /** The transcript names the duration of the recording, because the sandbox recognises no words. */
  transcribe({ seconds, format, language = 'en' }: TranscriptionRequest): Promise<Transcript> {
    const text = `[sandbox] A recording of ${seconds.toFixed(1)} seconds.`;
    const end = `00:00:${seconds.toFixed(3).padStart(6, '0')}`;
    const answers: Readonly<Record<TranscriptFormat, Transcript>> = {
      json: { text },
      text: { text: `${text}\n` },
      srt: { text: `1\n00:00:00,000 --> ${end.replace('.', ',')}\n${text}\n` },
      vtt: { text: `WEBVTT\n\n00:00:00.000 --> ${end}\n${text}\n` },
      verbose_json: { text, language, duration: seconds, segments: [{ start: 0, end: seconds, text }] },
    };
    return Promise.resolve(answers[format]);
  }
}
