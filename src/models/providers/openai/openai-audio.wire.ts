import { jsonIn } from '#kernel/json';
import { withoutAbsent } from '#kernel/present';
import type { Transcript, TranscriptFormat } from '../audio-provider';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';
import { ProviderFault } from '../http/provider-fault';

const MARKS: readonly (readonly [number, string, string])[] = [
  [0, 'RIFF', 'wav'],
  [0, 'fLaC', 'flac'],
  [0, 'OggS', 'ogg'],
  [4, 'ftyp', 'm4a'],
  [0, '\x1a\x45\xdf\xa3', 'webm'],
];

/** OpenAI reads the type of a file from its name. */
export const extensionOf = async (recording: Blob): Promise<string> => {
  const head = Buffer.from(await recording.slice(0, 12).arrayBuffer()).toString('latin1');
  return MARKS.find(([at, mark]) => head.startsWith(mark, at))?.[2] ?? 'mp3';
};

const secondsOf = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);

/** The transcript with only its documented fields. A recording without words has an empty text. */
export const toTranscript = (answer: Buffer, format: TranscriptFormat): Transcript => {
  const written = answer.toString('utf8');
  if (format !== 'json' && format !== 'verbose_json') {
    if (/^\s*</.test(written)) throw new ProviderFault('unknown', 'its answer is a page');
    return { text: written };
  }
  const { text, language, duration, segments } = fieldsOf(jsonIn(written));
  if (typeof text !== 'string') throw new ProviderFault('unknown', 'its answer has no text');
  if (format === 'json') return { text };
  return withoutAbsent({
    text,
    language: textOf(language)?.slice(0, 40),
    duration: secondsOf(duration),
    segments: itemsOf(segments).map((segment) => {
      const { start, end, text: part } = fieldsOf(segment);
      return { start: secondsOf(start), end: secondsOf(end), text: textOf(part) ?? '' };
    }),
  });
};
