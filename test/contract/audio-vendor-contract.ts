import { Logger } from '@nestjs/common';

import {
  type AudioProvider,
  type SpeechFormat,
  type SpeechRequest,
  type Transcript,
  type TranscriptionRequest,
  TRANSCRIPT_FORMATS,
} from '#models/providers/audio-provider';
import { AnswerLost, ProviderFailed, ProviderUnavailable } from '#models/providers/providers.errors';
import type { Serves } from '#models/providers/vendor';
import { VENDORS, vendorOf } from '#models/providers/vendors';
import { readSettings } from '../../src/settings';
import { type FakeProvider, type ProviderFaultName, VENDOR_WORDS } from '../support/fake-provider';
import { type AskedSpeech, type AudioVendor, audioVendorOf } from './audio-vendors';

const latin1 = (text: string): Buffer => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(64, 7)]);

/** The beginnings of files. */
const FILES: Readonly<Record<SpeechFormat, Buffer>> = {
  mp3: latin1('ID3\u0004'),
  opus: latin1('OggS'),
  aac: latin1('\u00ff\u00f1'),
  flac: latin1('fLaC'),
  wav: latin1('RIFF\u0000\u0000\u0000\u0000WAVE'),
  pcm: Buffer.alloc(64, 7),
};
/** Another file than the sold one. */
const OTHER: Readonly<Record<SpeechFormat, Buffer>> = {
  mp3: FILES.opus,
  opus: FILES.mp3,
  aac: FILES.mp3,
  flac: FILES.mp3,
  wav: FILES.mp3,
  pcm: Buffer.from('{"error":"none"}'),
};

const FAULTS: readonly (readonly [ProviderFaultName, new () => Error])[] = [
  [400, ProviderFailed],
  [422, ProviderFailed],
  [401, ProviderUnavailable],
  [404, ProviderUnavailable],
  [429, ProviderUnavailable],
  [500, ProviderUnavailable],
  [503, ProviderUnavailable],
  ['hang', AnswerLost],
  ['reset', AnswerLost],
  ['drop reply', AnswerLost],
];

/** Every real vendor of audio, found without a list of names. */
export const audioVendors = (): string[] =>
  VENDORS.flatMap((each) =>
    ('one' in each || each.enabledBy !== undefined) &&
    (each.serves.speaks !== undefined || each.serves.transcribes === true)
      ? [each.name]
      : [],
  );

/** The contract of each vendor of speech and transcripts: callers pay for the text and the seconds that they sent. */
export const holdAudioVendorToContract = (name: string): void => {
  const vendor: AudioVendor = audioVendorOf(name);
  const { serves } = VENDORS.find((each) => each.name === name) as { readonly serves: Serves };
  let fake: FakeProvider & { readonly key: string };
  let provider: AudioProvider;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    fake = await vendor.start();
    const { providers } = readSettings({
      ...vendor.variables(fake.origin, fake.key),
      ALLOW_SANDBOX_MIX: 'true',
    });
    const own = providers.find((each) => each.name === vendor.provider)!;
    provider = vendorOf(own).adapters(own, () => undefined as never).audio!;
  });
  afterEach(() => fake.forgiveAll());
  afterAll(async () => {
    await provider.close();
    await fake.stop();
  });

  const thrown = (error: unknown): unknown => error;
  const signalFor = (fault: ProviderFaultName): AbortSignal =>
    AbortSignal.timeout(fault === 'hang' ? 300 : 10_000);
  const expectToQuoteNobody = (error: unknown): void =>
    expect(JSON.stringify([error, (error as Error).message])).not.toContain(VENDOR_WORDS);

  it('serves what its descriptor says', () => {
    expect([vendor.speech !== undefined, vendor.transcripts !== undefined]).toEqual([
      serves.speaks !== undefined,
      serves.transcribes === true,
    ]);
  });

  if (vendor.speech !== undefined) {
    const { model, operation, answer, asked } = vendor.speech;
    const TEXT = 'The lamps are lit. “Ünïcode”, and the end.';
    const speak = (more: Partial<SpeechRequest> = {}, signal = signalFor(400)): Promise<Buffer> =>
      provider.speak({ model, input: TEXT, voice: 'nova', format: 'mp3', ourId: 'ch_1', ...more }, signal);

    describe.each(serves.speaks ?? [])('speech as %s', (format) => {
      it('is asked for as it was sold, and is the whole file', async () => {
        fake.failNext(operation, { says: answer(FILES[format], format) });

        const file = await speak({ format, speed: 1.5 });

        expect(file.equals(FILES[format])).toBe(true);
        const sold: AskedSpeech = { model, input: TEXT, voice: 'nova', format, speed: 1.5 };
        expect(asked(fake.seen.at(-1)!)).toMatchObject(sold);
      });

      it.each([
        ['another file', OTHER[format]],
        ['nothing', Buffer.alloc(0)],
      ])('is not sold if the answer is %s', async (_, file) => {
        fake.failNext(operation, { says: answer(file, format) });

        expect(await speak({ format }).catch(thrown)).toBeInstanceOf(AnswerLost);
      });
    });

    it.each(FAULTS)('speech: after %j knows whether another route may be asked', async (fault, type) => {
      fake.failNext(operation, fault);

      const error = await speak({}, signalFor(fault)).catch(thrown);

      expect(error).toBeInstanceOf(type);
      expectToQuoteNobody(error);
    });
  }

  if (vendor.transcripts !== undefined) {
    const { model, operation, answer, asked } = vendor.transcripts;
    const RECORDING = Buffer.concat([FILES.wav, Buffer.alloc(4_096, 'recorded')]);
    const transcribe = (
      more: Partial<TranscriptionRequest> = {},
      signal = signalFor(400),
    ): Promise<Transcript> => {
      const recording = new Blob([RECORDING]);
      return provider.transcribe(
        { model, recording, seconds: 1, format: 'json', ourId: 'ch_1', ...more },
        signal,
      );
    };

    it.each(TRANSCRIPT_FORMATS)('a transcript as %s is of the whole recording', async (format) => {
      fake.failNext(operation, { says: answer('The lamps are lit.', format) });

      const { text } = await transcribe({ format, language: 'en' });

      expect(text).toBe('The lamps are lit.');
      const request = fake.seen.at(-1)!;
      expect(asked(request)).toMatchObject({ model, language: 'en' });
      expect(request.body.includes(RECORDING) || request.body.includes(RECORDING.toString('base64'))).toBe(
        true,
      );
    });

    it('a transcript without words is an empty text, and an answer without a text is none', async () => {
      fake.failNext(
        operation,
        { says: answer('', 'json') },
        { says: { json: { error: 'none' } } },
        'garbage',
      );

      expect((await transcribe()).text).toBe('');
      expect(await transcribe().catch(thrown)).toBeInstanceOf(AnswerLost);
      expect(await transcribe().catch(thrown)).toBeInstanceOf(AnswerLost);
    });

    it.each(FAULTS)('transcripts: after %j knows whether another route may be asked', async (fault, type) => {
      fake.failNext(operation, fault);

      const error = await transcribe({}, signalFor(fault)).catch(thrown);

      expect(error).toBeInstanceOf(type);
      expectToQuoteNobody(error);
    });
  }
};
