import { useEffect } from 'preact/hooks';

import { Calculator, wishesIn } from '../models/calculator.tsx';
import { ApiError, call } from '../parts/api.ts';
import { count, date } from '../parts/format.ts';
import { optionsFor } from '../models/media-options.tsx';
import { CallCode, chatCall, mediaCall } from '../models/model-code.tsx';
import {
  type ListedModel,
  type Status,
  chatPriceText,
  loadModels,
  percent,
  seconds,
} from '../models/model-facts.ts';
import { show } from '../parts/shell.tsx';
import { Strip } from '../models/strip.tsx';
import { Badge, Empty, Loading, Problem, Table } from '../parts/ui.tsx';
import { useAddress, useLoaded } from '../parts/use.ts';

const ID = decodeURIComponent(location.pathname.split('/').pop() ?? '');

interface Parameter {
  readonly name: string;
  readonly values: string;
  readonly about: string;
}

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
  return [
    { name: 'prompt', values: '1 to 2000 characters', about: 'A description of the wanted result.' },
    ...(['i2i', 'i2v', 'swap', 'motion'].includes(media.mode) ? [source('image', 'The source image.')] : []),
    ...(media.mode === 'swap' ? [source('image2', 'The face or the subject to put in.')] : []),
    ...(media.mode === 'motion' ? [source('video', 'The clip whose motion it follows.')] : []),
    ...list('imageSize', media.imageSizes, 'The size of the image.'),
    ...list('aspectRatio', media.aspectRatios, 'The shape.'),
    ...list('resolution', media.resolutions, 'The resolution.'),
    ...list('duration', media.durations, 'The length in seconds.'),
    ...(media.audio ? [{ name: 'audio', values: 'true, false', about: 'Sound. Default true.' }] : []),
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
  const { wishes, tokens } = wishesIn(address);
  const { retiresOn, replacedBy } = model.media ?? model.text ?? {};
  const shown =
    model.media === undefined
      ? chatCall(model.id, tokens)
      : mediaCall(model.media, optionsFor(model.media, wishes));
  return (
    <>
      <div class="head">
        <div>
          <p class="soft">
            <a href="models">Models</a>
          </p>
          <h1>{model.name}</h1>
          <p>
            <span class="mono breaks">{model.id}</span> · {model.makes} · {model.priceText}
            {model.text === undefined ? null : (
              <>
                {' '}
                per million tokens by usage; {chatPriceText(model.text)} at <code>/v1/agent/chat</code>
              </>
            )}
          </p>
        </div>
        {(model.media ?? model.text)?.adultsOnly === true ? <Badge tone="calm">adults only</Badge> : null}
        {model.media?.private === true ? <Badge tone="calm">private</Badge> : null}
      </div>
      {retiresOn === undefined ? null : (
        <p class="notice">
          It is sold until {retiresOn} (UTC).
          {replacedBy === undefined ? null : (
            <>
              {' '}
              Use <a href={`models/${replacedBy}`}>{replacedBy}</a> instead.
            </>
          )}
        </p>
      )}
      <section class="stack" aria-labelledby="price">
        <h2 id="price">What would your call cost?</h2>
        <Calculator catalog={catalog} only={model.id} />
      </section>
      <section class="card stack" aria-labelledby="month">
        <h2 id="month">The last 30 days</h2>
        <Month model={model} status={status} />
      </section>
      <section class="card stack" aria-labelledby="parameters">
        <h2 id="parameters">Parameters</h2>
        <Table caption="Parameters" head={['Name', 'Values', { text: 'What it does', roomy: true }]}>
          {parametersOf(model).map(({ name, values, about }) => (
            <tr key={name}>
              <th scope="row" class="mono">
                {name}
              </th>
              <td>{values}</td>
              <td class="soft roomy">{about}</td>
            </tr>
          ))}
        </Table>
        <p class="soft">
          The <a href="docs">reference</a> has every field of the route <code>{shown.path}</code>.
        </p>
      </section>
      <section class="stack" aria-labelledby="code">
        <div class="row apart">
          <h2 id="code">Call it</h2>
          <a class="button small" href={`playground?model=${encodeURIComponent(model.id)}`}>
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
  const model = data?.models.find(
    ({ id, media, text }) => id === ID || (media ?? text)?.aliases?.includes(ID) === true,
  );
  useEffect(() => {
    if (model !== undefined) document.title = `${model.name} · Lamppost`;
  }, [model?.name]);
  if (data === undefined) {
    return (
      <>
        <h1 class="mono">{ID}</h1>
        <Problem error={error} />
        {error === undefined ? <Loading rows={10} /> : null}
      </>
    );
  }
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
