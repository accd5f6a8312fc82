import type { ProviderName } from './provider-name';

/** The audio formats of speech, named as in OpenAI's API, with their media types. */
export const SPEECH_TYPES = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const;
export type SpeechFormat = keyof typeof SPEECH_TYPES;
export const SPEECH_FORMATS = Object.keys(SPEECH_TYPES) as readonly SpeechFormat[];

export interface SpeechRequest {
  /** The provider's own name of the model. */
  readonly model: string;
  readonly input: string;
  readonly voice: string;
  readonly format: SpeechFormat;
  readonly speed?: number;
  /** The id of our charge, for providers that accept an id. */
  readonly ourId: string;
}

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

export interface TranscriptionRequest {
  /** The provider's own name of the model. */
  readonly model: string;
  readonly recording: Blob;
  readonly seconds: number;
  readonly format: TranscriptFormat;
  readonly language?: string;
  /** The id of our charge, for providers that accept an id. */
  readonly ourId: string;
}

/** `text` is the transcript in the requested format. Only `verbose_json` has the other fields. */
export interface Transcript {
  readonly text: string;
  readonly language?: string;
  readonly duration?: number;
  readonly segments?: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

/** Makes speech and transcripts at one provider. Its methods throw only the errors of `providers.errors.ts`. */
export abstract class AudioProvider {
  abstract readonly name: ProviderName;

  /** Returns the whole file. */
  abstract speak(request: SpeechRequest, signal: AbortSignal): Promise<Buffer>;

  abstract transcribe(request: TranscriptionRequest, signal: AbortSignal): Promise<Transcript>;

  /** Closes the connections to the provider. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

const startsWith =
  (...marks: readonly string[]) =>
  (file: Buffer): boolean =>
    marks.some((mark) => file.subarray(0, mark.length).equals(Buffer.from(mark, 'latin1')));

/** A frame of MPEG audio begins with eleven set bits; the two bits of the layer are 0 for AAC. */
const isFrame = (file: Buffer, isAac: boolean): boolean =>
  file.length > 3 && file.readUInt16BE(0) >> 5 === 0x7_ff && ((file[1]! & 0x06) === 0) === isAac;

const FORMAT_TESTS: Readonly<Record<SpeechFormat, (file: Buffer) => boolean>> = {
  mp3: (file) => startsWith('ID3')(file) || isFrame(file, false),
  opus: startsWith('OggS'),
  aac: (file) => isFrame(file, true),
  flac: startsWith('fLaC'),
  wav: (file) => startsWith('RIFF')(file) && file.subarray(8, 12).toString('latin1') === 'WAVE',
  pcm: (file) => file.length > 0 && !startsWith('{', '<')(file),
};

/** Whether a file looks like the format. `pcm` has no header, so only JSON or XML in its place is detected. */
export const hasFormat = (file: Buffer, format: SpeechFormat): boolean => FORMAT_TESTS[format](file);
