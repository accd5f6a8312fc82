import { useEffect } from 'preact/hooks';

import { Calculator, playgroundAt, inputsIn } from './calculator.tsx';
import { chatPriceText } from './call-cost.tsx';
import { ApiError, call } from '../parts/api.ts';
import { count, date } from '../parts/format.ts';
import { hasSoundChoice, optionsFor } from './media-options.tsx';
import { AudioModelPage } from './audio-model.tsx';
import { CallCode, chatCall, mediaCall } from './model-code.tsx';
import { loadModels, percent, seconds } from './measured.ts';
import type { ListedModel, Status } from './model-facts.ts';
import { show } from '../parts/shell.tsx';
import { type Parameter, Head, Parameters } from './model-parts.tsx';
import { Strip } from './strip.tsx';
import { UsagePrices } from './usage-prices.tsx';
import { Empty, Loading, Problem } from '../parts/ui.tsx';
import { useAddress, useLoaded } from '../parts/use.ts';

const ID = decodeURIComponent(location.pathname.replace(/^.*?\/models\//, ''));

const TEXT: readonly Parameter[] = [
  { name: 'messages', values: '1 to 50', about: 'The messages, with at most 48,000 characters together.' },
  {
    name: 'max_tokens',
    values: '1 to 8192',
    about: 'The most tokens of the answer, all of which are billed. Default 1024.',
  },
  { name: 'temperature', values: '0 to 2', about: 'Higher values make answers less predictable.' },
];

/** The fields that a call of the model may have, by its catalog entry. */
const parametersOf = ({ media, text }: ListedModel): readonly Parameter[] => {
  if (media === undefined) {
    const effort = { name: 'reasoning_effort', values: 'low, medium, high', about: 'How long it reasons.' };
    return text?.reasoning === true ? [...TEXT, effort] : TEXT;
  }
  const list = (name: string, values: readonly (string | number)[], about: string): readonly Parameter[] =>
    values.length === 0 ? [] : [{ name, values: values.join(', '), about }];
  const source = (name: string, about: string): Parameter => ({ name, values: 'https or data: URI', about });
  const can = media.capabilities;
  const most = can.sources ?? 0;
  return [
    { name: 'prompt', values: '1 to 2000 characters', about: 'A description of the wanted result.' },
    ...(['i2i', 'i2v', 'swap', 'motion'].includes(media.mode) ? [source('image', 'The source image.')] : []),
    ...(media.mode === 'swap' ? [source('image2', 'The face or the subject to put in.')] : []),
    ...(media.mode === 'motion' ? [source('video', 'The clip whose motion it follows.')] : []),
    ...(most > 0
      ? [
          {
            name: 'sources',
            values: `up to ${count(most, 'https or data: URI')}`,
            about: 'Further source images, beside the first.',
          },
        ]
      : []),
    ...(can.mask === true
      ? [source('mask', 'White where the image is repainted, black where it stays.')]
      : []),
    ...(can.lastFrame === true ? [source('lastFrame', 'The last picture of the film.')] : []),
    ...(can.extend === true ? [source('extend', 'The clip that the film continues.')] : []),
    ...(can.negativePrompt === true
      ? [
          {
            name: 'negativePrompt',
            values: '1 to 2000 characters',
            about: 'Things that the result should not show.',
          },
        ]
      : []),
    ...list('imageSize', media.imageSizes, 'The size of the image.'),
    ...list('quality', media.qualities ?? [], 'The quality of the image.'),
    ...list('aspectRatio', media.aspectRatios, 'The shape.'),
    ...list('resolution', media.resolutions, 'The resolution.'),
    ...list('duration', media.durations, 'The length in seconds.'),
    ...(hasSoundChoice(media)
      ? [{ name: 'audio', values: 'true, false', about: 'Sound. Default true.' }]
      : []),
    ...(media.soundAlways === true
      ? [{ name: 'audio', values: 'true', about: 'Its films always have sound.' }]
      : []),
    ...(can.n === undefined
      ? []
      : [
          {
            name: 'n',
            values: `1 to ${can.n}`,
            about: 'How many images, each at the same price. Default 1.',
          },
        ]),
    ...(can.seed === true
      ? [{ name: 'seed', values: 'a whole number', about: 'The same seed tends to the same result.' }]
      : []),
  ];
};

/** The results of the last 30 days, with the beginning of the measurement. */
const Month = ({ model, status }: { readonly model: ListedModel; readonly status: Status | undefined }) => {
  const { health } = model;
  const [first] = health?.points ?? [];
  if (status === undefined)
    return <p class="soft">The measurements are not available now. Look again later.</p>;
  if (health === undefined || first === undefined) {
    return (
      <Empty title="No call in the last 30 days">Nothing is known about its success or its speed.</Empty>
    );
  }
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Succeeded</dt>
          <dd>{percent(health.successRate)}</dd>
        </div>
        <div>
          <dt>Median time</dt>
          <dd>{seconds(health.medianSeconds)}</dd>
        </div>
        <div>
          <dt>95 % done within</dt>
          <dd>{seconds(health.p95Seconds)}</dd>
        </div>
        <div>
          <dt>Calls</dt>
          <dd>{(health.done + health.failed).toLocaleString('en')}</dd>
        </div>
      </dl>
      <Strip status={status} model={health} />
      <p class="hint">
        From {count(health.done + health.failed, 'real call')} of this service. The first one in these 30 days
        was on {date(first.at)}; earlier calls are not in it. Nobody paid for a call that failed.
      </p>
    </>
  );
};

const Shown = ({
  model,
  catalog,
  status,
}: {
  readonly model: ListedModel;
  readonly catalog: Parameters<typeof Calculator>[0]['catalog'];
  readonly status: Status | undefined;
}) => {
  const [address] = useAddress();
  const { inputs, tokens } = inputsIn(address);
  const shown =
    model.media === undefined
      ? chatCall(model.id, tokens)
      : mediaCall(model.media, optionsFor(model.media, inputs));
  return (
    <>
      <Head model={model.media ?? model.text ?? model}>
        {model.makes} · {model.priceText}
        {model.text === undefined ? null : (
          <>
            {' '}
            per million tokens by usage; {chatPriceText(model.text)} at <code>/v1/agent/chat</code>
          </>
        )}
      </Head>
      <section class="stack" aria-labelledby="price">
        <h2 id="price">What would your call cost?</h2>
        {model.text === undefined ? null : <UsagePrices model={model.text} />}
        <Calculator catalog={catalog} only={model.id} />
      </section>
      <section class="card stack" aria-labelledby="month">
        <h2 id="month">The last 30 days</h2>
        <Month model={model} status={status} />
      </section>
      <Parameters of={parametersOf(model)} path={shown.path} />
      <section class="stack" aria-labelledby="code">
        <div class="row apart">
          <h2 id="code">Call it</h2>
          <a class="button small" href={playgroundAt(model, address)}>
            Open in the playground
          </a>
        </div>
        <CallCode shown={shown} />
      </section>
    </>
  );
};

/** Says why there is no such model: it may be retired, or not for sale now. */
const Missing = () => {
  const { data, error, loading } = useLoaded(
    (signal) => call('get', '/v1/models/{call}', { at: { call: ID }, signal }),
    [],
  );
  const why = error instanceof ApiError && error.code !== 'UNKNOWN_MODEL' ? error.message : undefined;
  const instead = error instanceof ApiError ? error.replacedBy : undefined;
  if (loading && data === undefined) return <Loading rows={2} />;
  return (
    <Empty title={why ?? `There is no model ${ID}`}>
      <p>
        {instead === undefined ? null : (
          <>
            <a href={`models/${encodeURIComponent(instead)}`}>{instead}</a> ·{' '}
          </>
        )}
        <a href="models">All models</a>
      </p>
    </Empty>
  );
};

const ModelPage = () => {
  const { data, error } = useLoaded(loadModels, []);
  const isIt = ({
    id,
    aliases = [],
  }: {
    readonly id: string;
    readonly aliases?: readonly string[];
  }): boolean => id === ID || aliases.includes(ID);
  const model = data?.models.find(({ id, media, text }) => isIt(media ?? text ?? { id }));
  const audio = data?.catalog.audioModels.find(isIt);
  const name = (model ?? audio)?.name;
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Lamppost`;
  }, [name]);
  if (data === undefined) {
    return (
      <>
        <h1 class="mono">{ID}</h1>
        <Problem error={error} />
        {error === undefined ? <Loading rows={10} /> : null}
      </>
    );
  }
  if (audio !== undefined) return <AudioModelPage model={audio} />;
  return model === undefined ? (
    <>
      <h1 class="mono">{ID}</h1>
      <div class="card">
        <Missing />
      </div>
    </>
  ) : (
    <Shown model={model} catalog={data.catalog} status={data.status} />
  );
};

show(<ModelPage />, { wide: true });
