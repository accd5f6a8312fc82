import type { Api } from './api.ts';
import { Made, type Charge, type Source, blobOf } from './medium.ts';
import { naming } from './naming.ts';
import { type ModelOptions, type PaidOptions, checkPaid, modelOf, paidRequest } from './options.ts';
import type { Payer } from './payer.ts';

export interface SpeechOptions extends PaidOptions, ModelOptions {
  /** One of the model's `voices`. */
  readonly voice?: string | undefined;
  /** `mp3` if absent. */
  readonly format?: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm' | undefined;
  readonly speed?: number | undefined;
}

export interface TranscriptOptions extends PaidOptions, ModelOptions {
  /** By ISO 639-1, such as `en`. */
  readonly language?: string | undefined;
}

export interface Transcript {
  readonly text: string;
  readonly charge: Charge;
  readonly requestId: string | undefined;
}

/** Speech, and transcripts of it. */
export class Audio {
  /** @internal */
  constructor(
    private readonly payer: Payer,
    private readonly api: Api,
  ) {}

  /**
   * Speaks a text.
   *
   * @example
   * const speech = await lamppost.audio.speak('The lamps are lit.');
   * await speech.save('speech.mp3');
   */
  readonly speak = async (text: string, options: SpeechOptions = {}): Promise<Made> => {
    checkPaid(options, 'audio.speak()', 'model', 'modelId', 'voice', 'format', 'speed');
    const { voice, format, speed } = options;
    const call = { input: text, model: modelOf(options), voice, response_format: format, speed };
    const request = { ...paidRequest('/v1/audio/speech', call, options), isFile: true };
    const { body, charge, requestId } = await naming(request, () => this.payer.buy<Blob>(request, options));
    const files = {
      open: () => Promise.resolve(new Response(body)),
      blob: () => Promise.resolve(body),
    };
    return new Made(files, charge, requestId);
  };

  /**
   * The words of a sound file. The service knows the price only after it has read the file, so `pay: 'x402'` can't pay
   * it.
   *
   * @example
   * const speech = await lamppost.audio.speak('The lamps are lit.');
   * const { text } = await lamppost.audio.transcribe(await speech.blob());
   */
  readonly transcribe = async (source: Source, options: TranscriptOptions = {}): Promise<Transcript> => {
    checkPaid(options, 'audio.transcribe()', 'model', 'modelId', 'language');
    const fetched = (url: string): Promise<Blob> => this.api.file(url);
    const file = (await blobOf(source, fetched)) ?? (await fetched((source as string | URL).toString()));
    const call = { model: modelOf(options), language: options.language };
    const usual = paidRequest('/v1/audio/transcriptions', call, options);
    const request = { ...usual, file, has: 'text' };
    const { body, charge, requestId } = await naming(request, () =>
      this.payer.buy<{ text: string }>(request, options),
    );
    return { text: body.text, charge, requestId };
  };
}
