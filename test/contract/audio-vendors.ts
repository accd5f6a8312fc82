import type { SpeechFormat, SpeechRequest, TranscriptionRequest } from '#models/providers/audio-provider';
import { FakeOpenai } from '../support/fake-openai';
import type { FakeProvider, FakeReply, FakeRequest } from '../support/fake-provider';
import { fixtureOf } from './fixtures';

/** The fields of a request for speech, under our names. */
export type AskedSpeech = Pick<SpeechRequest, 'model' | 'input' | 'voice' | 'format' | 'speed'>;

export interface AudioVendor {
  start(): Promise<FakeProvider & { readonly key: string }>;
  /** The settings that enable the vendor at this address, with the fake's key. */
  variables(baseUrl: string, key: string): Readonly<Record<string, string>>;
  /** Its name in the catalog. For a kind of server, it is the name in the settings. */
  readonly provider: string;
  /** The vendor's answer with a file, and the fake's name of the operation. A vendor without speech lacks it. */
  readonly speech?: {
    readonly model: string;
    readonly operation: string;
    readonly answer: (file: Buffer, format: SpeechFormat) => FakeReply;
    readonly asked: (request: FakeRequest) => Partial<AskedSpeech>;
  };
  /** The vendor's answer with a text, and whether a request contains the recording. A vendor without transcripts lacks it. */
  readonly transcripts?: {
    readonly model: string;
    readonly operation: string;
    readonly answer: (text: string, format: TranscriptionRequest['format']) => FakeReply;
    readonly asked: (request: FakeRequest) => Partial<Pick<TranscriptionRequest, 'model' | 'language'>>;
  };
}

const field = (request: FakeRequest, name: string): string | undefined =>
  new RegExp(`name="${name}"\\r\\n\\r\\n([^\\r]*)`).exec(request.body.toString('latin1'))?.[1];

const OPENAI: Pick<AudioVendor, 'speech' | 'transcripts'> = {
  speech: {
    model: 'tts-1',
    operation: 'speech',
    answer: (bytes) => ({ bytes, type: 'application/octet-stream' }),
    asked: ({ body }) => {
      const { response_format: format, ...rest } = JSON.parse(body.toString()) as Record<string, never>;
      return { ...rest, format: format! };
    },
  },
  transcripts: {
    model: 'whisper-1',
    operation: 'transcription',
    answer: (text, format) =>
      format === 'json' || format === 'verbose_json'
        ? { json: { text, language: 'english', duration: 1, segments: [] } }
        : { bytes: Buffer.from(text), type: 'text/plain' },
    asked: (request) => ({ model: field(request, 'model')!, language: field(request, 'language')! }),
  },
};

/** By the name in `src/models/providers/vendors.ts`. */
const AUDIO_VENDORS: Readonly<Record<string, AudioVendor>> = {
  openai: {
    start: () => FakeOpenai.start(),
    variables: (baseUrl, key) => ({ OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_API_KEY: key }),
    provider: 'openai',
    ...OPENAI,
  },
  'openai-compatible': {
    start: () => FakeOpenai.start(),
    variables: (baseUrl, key) => ({
      OPENAI_COMPATIBLE_SERVERS: 'voices',
      VOICES_BASE_URL: `${baseUrl}/v1`,
      VOICES_API_KEY: key,
    }),
    provider: 'voices',
    ...OPENAI,
  },
};

/** A vendor that is not listed here has a file `<name>.audio-vendor.ts`. */
export const audioVendorOf = (name: string): AudioVendor => fixtureOf('audio-vendor', name, AUDIO_VENDORS);
