import { MAKES, UNITS } from './audio-models.tsx';
import type { Catalog } from './model-facts.ts';
import { type Parameter, Head, Parameters } from './model-parts.tsx';
import { money } from '../parts/format.ts';
import { facts } from '../parts/shell.tsx';
import { Code } from '../parts/ui.tsx';

type AudioModel = Catalog['audioModels'][number];

const PATHS = { speech: '/v1/audio/speech', transcription: '/v1/audio/transcriptions' } as const;

const parametersOf = ({ kind, voices = [], formats = [] }: AudioModel): readonly Parameter[] =>
  kind === 'speech'
    ? [
        { name: 'input', values: '1 to 4,096 characters', about: 'The text to read out.' },
        { name: 'voice', values: voices.join(', '), about: 'Default is the first one.' },
        { name: 'response_format', values: formats.join(', '), about: 'Default mp3.' },
        { name: 'speed', values: '0.25 to 4', about: 'Default 1.' },
      ]
    : [
        {
          name: 'file',
          values: 'WAV, MP3, AAC in M4A, Opus in Ogg or WebM',
          about: 'The recording, with at most 25 MB and two hours.',
        },
        { name: 'language', values: 'such as en', about: 'The language of the recording.' },
        { name: 'response_format', values: 'json, verbose_json, text, srt, vtt', about: 'Default json.' },
      ];

const codeOf = ({ id, kind, voices: [voice] = [] }: AudioModel): string => {
  const address = `'${facts.publicUrl}${PATHS[kind]}'`;
  const key = '-H "x-api-key: $LAMPPOST_KEY"';
  return kind === 'speech'
    ? `curl -sS -o speech.mp3 ${address} \\
  ${key} -H 'content-type: application/json' \\
  -d '${JSON.stringify({ model: id, input: 'The lamps are lit.', voice })}'`
    : `curl -sS ${address} ${key} \\
  -F model=${id} -F file=@speech.mp3`;
};

/** A model that reads texts out or writes recordings down. */
export const AudioModelPage = ({ model }: { readonly model: AudioModel }) => {
  const { kind, pricing } = model;
  return (
    <>
      <Head model={model}>
        {MAKES[kind]} · {money(pricing.priceMicro)} {UNITS[pricing.unit]}, and at least{' '}
        {money(pricing.leastMicro)} a call
      </Head>
      <Parameters of={parametersOf(model)} path={PATHS[kind]} />
      <section class="stack" aria-labelledby="code">
        <h2 id="code">Call it</h2>
        <Code text={codeOf(model)} what="the call in curl" />
      </section>
    </>
  );
};
