import { Fragment } from 'preact';
import { useState } from 'preact/hooks';

import { wantedOf, inputsIn } from './calculator.tsx';
import {
  CallSizeFields,
  TextPrice,
  callCost,
  callSizeIn,
  misfitOf,
  stepsText,
  tokensText,
} from './call-cost.tsx';
import { count, decimalsOf, labelsOf, money } from '../parts/format.ts';
import { MediaOptions, type MediaModel, hasSoundChoice, modeName } from './media-options.tsx';
import { loadModels, percent, seconds } from './measured.ts';
import { type ListedModel, TRAITS } from './model-facts.ts';
import { AudioModels, MAKES } from './audio-models.tsx';
import { isFoundBy } from '../parts/names.ts';
import { useQuote } from './quote.ts';
import { show } from '../parts/shell.tsx';
import { Badge, Empty, Loading, Problem, Select, Table, TextInput } from '../parts/ui.tsx';
import { useAddress, useLoaded } from '../parts/use.ts';

const COMPARED_MAX = 4;
/** More rows make the page slow. */
const ROWS = 100;
const KINDS = [
  { value: '', text: 'Everything' },
  { value: 'image', text: 'Images' },
  { value: 'video', text: 'Videos' },
  { value: 'text', text: 'Text' },
  { value: 'audio', text: 'Audio' },
];

const CAN = [
  { value: '', text: 'Anything' },
  ...Object.entries(TRAITS).map(([value, { text }]) => ({ value, text })),
];

const LAST = Number.MAX_VALUE;

/**
 * The sort orders of the list. Prices of different kinds have different units, so prices are sorted within each kind.
 */
const ORDERS: Readonly<
  Record<string, { readonly text: string; readonly by: (model: ListedModel) => number | undefined }>
> = {
  '': { text: 'Catalog', by: () => 0 },
  price: {
    text: 'Price',
    by: ({ kind, price }) => KINDS.findIndex(({ value }) => value === kind) * 1e12 + price,
  },
  context: { text: 'Context', by: ({ text }) => text?.contextTokens && -text.contextTokens },
  success: { text: 'Success', by: ({ health }) => health && -health.successRate },
  speed: { text: 'Speed', by: ({ health }) => health?.medianSeconds ?? undefined },
};

const chosenIn = (address: URLSearchParams, models: readonly ListedModel[]): readonly ListedModel[] =>
  (address.get('compare') ?? '')
    .split(',')
    .flatMap((id) => models.find((model) => model.id === id) ?? [])
    .slice(0, COMPARED_MAX);

/** The exact price of the medium that the visitor has entered. */
const MediaPrice = ({ model }: { readonly model: ListedModel }) => {
  const [address] = useAddress();
  const { data, error } = useQuote(wantedOf(model.id, model.media, address));
  if (error !== undefined) return <span class="soft">{error.message}</span>;
  return <strong>{data === undefined ? '…' : money(data.priceMicro)}</strong>;
};

/** The options of all compared models. A model without a chosen option uses its own first one. */
const optionsOfAll = (media: readonly MediaModel[]): MediaModel => {
  const [first] = media as readonly [MediaModel];
  const union = <T,>(list: (model: MediaModel) => readonly T[]): T[] => [...new Set(media.flatMap(list))];
  return {
    ...first,
    audio: media.some(hasSoundChoice),
    soundAlways: media.every(({ soundAlways }) => soundAlways === true),
    aspectRatios: union(({ aspectRatios }) => aspectRatios),
    resolutions: union(({ resolutions }) => resolutions),
    imageSizes: union(({ imageSizes }) => imageSizes),
    qualities: union(({ qualities = [] }) => qualities),
    durations: union(({ durations }) => durations).sort((a, b) => a - b),
  };
};

const calls = ({ health }: ListedModel): string =>
  health === undefined ? 'no calls yet' : count(health.done + health.failed, 'call');

const FACTS: readonly { readonly name: string; readonly of: (model: ListedModel) => string }[] = [
  {
    name: 'List price',
    of: ({ text, priceText }) => `${priceText}${text === undefined ? '' : ', a million tokens'}`,
  },
  { name: 'Makes', of: ({ makes }) => makes },
  { name: 'Context', of: ({ text }) => tokensText(text?.contextTokens) },
  { name: 'Longest answer', of: ({ text }) => tokensText(text?.maxOutputTokens) },
  {
    name: 'Longer input',
    of: ({ text }) => (text === undefined ? '–' : stepsText(text) || 'the same price'),
  },
  {
    name: 'Succeeded in 30 days',
    of: ({ health }) => (health === undefined ? '–' : percent(health.successRate)),
  },
  { name: 'Measured with', of: calls },
  { name: 'Median time', of: ({ health }) => seconds(health?.medianSeconds) },
  { name: '95 % done within', of: ({ health }) => seconds(health?.p95Seconds) },
  {
    name: 'Resolutions and sizes',
    of: ({ media }) => [...(media?.resolutions ?? []), ...(media?.imageSizes ?? [])].join(', ') || '–',
  },
  { name: 'Qualities', of: ({ media }) => media?.qualities?.join(', ') ?? '–' },
  { name: 'Lengths', of: ({ media }) => media?.durations.map((length) => `${length} s`).join(', ') || '–' },
];

const Comparison = ({
  models,
  labelOf,
}: {
  readonly models: readonly ListedModel[];
  readonly labelOf: (model: ListedModel) => string;
}) => {
  const [address, setAddress] = useAddress();
  const media = models.flatMap((model) => model.media ?? []);
  return (
    <section class="card stack" aria-labelledby="comparison">
      <div class="row apart">
        <h2 id="comparison">Side by side</h2>
        <button type="button" class="small" onClick={() => setAddress({ compare: undefined })}>
          Compare nothing
        </button>
      </div>
      <p class="soft">
        {media.length === 0
          ? 'Text has'
          : 'Describe your picture or film. Its price is a quote, exact to the micro-dollar. Text has'}{' '}
        the price of the tokens above.
      </p>
      {media.length === 0 ? null : (
        <div class="grid">
          <MediaOptions
            model={optionsOfAll(media)}
            inputs={inputsIn(address).inputs}
            onChoose={(changes) => setAddress({ ...changes })}
          />
        </div>
      )}
      <Table caption="Compared models" head={['Of', ...models.map(labelOf)]}>
        <tr>
          <th scope="row">Your call</th>
          {models.map((model) => (
            <td key={model.id} class="price-cell">
              {model.text === undefined ? (
                <MediaPrice model={model} />
              ) : (
                <strong>
                  <TextPrice model={model.text} />
                </strong>
              )}
            </td>
          ))}
        </tr>
        {FACTS.map(({ name, of }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {models.map((model) => (
              <td key={model.id}>{of(model)}</td>
            ))}
          </tr>
        ))}
      </Table>
      {media.length === 0 ? null : (
        <p class="hint">A model that lacks a chosen option is priced with its own first one.</p>
      )}
    </section>
  );
};

const Models = () => {
  const [address, setAddress] = useAddress();
  const { data, error } = useLoaded(loadModels, []);
  const wanted = (address.get('q') ?? '').trim();
  const kind = address.get('kind') ?? '';
  const trait = TRAITS[address.get('can') ?? ''];
  const [rows, setRows] = useState(ROWS);
  const order = ORDERS[address.get('sort') ?? ''] ?? ORDERS['']!;
  const chosen = chosenIn(address, data?.models ?? []);
  const labelOf = labelsOf(data?.models ?? []);
  const found = (data?.models ?? [])
    .filter((model) => kind === '' || model.kind === kind)
    .filter(({ text }) => trait === undefined || (text !== undefined && trait.has(text)))
    .filter(({ id, name, makes, text, media }) =>
      isFoundBy(wanted, [id, name, text === undefined ? makes : 'text', ...((text ?? media)?.aliases ?? [])]),
    )
    .sort((a, b) => (order.by(a) ?? LAST) - (order.by(b) ?? LAST));
  const foundAudio =
    (kind !== '' && kind !== 'audio') || trait !== undefined
      ? []
      : (data?.catalog.audioModels ?? []).filter(({ id, name, kind: makes, aliases = [] }) =>
          isFoundBy(wanted, [id, name, MAKES[makes], ...aliases]),
        );
  if (order === ORDERS['price']) {
    foundAudio.sort((a, b) => a.kind.localeCompare(b.kind) || a.pricing.priceMicro - b.pricing.priceMicro);
  }
  const shown = found.slice(0, rows);
  /** Prices of media have more decimals than those of text, so each has its own form. */
  const [decimalsOfText, decimalsOfMedia] = [true, false].map((isText) =>
    decimalsOf(
      shown
        .filter(({ text }) => (text !== undefined) === isText)
        .flatMap(({ prices }) => prices.flatMap(({ micro, fromMicro = micro }) => [micro, fromMicro])),
    ),
  );
  const size = callSizeIn(address);
  const decimalsOfCalls = decimalsOf(
    shown.flatMap(({ text }) =>
      text === undefined || size === undefined || misfitOf(text, size) !== undefined
        ? []
        : [callCost(text, size)],
    ),
  );
  const hasText = [...found, ...chosen].some(({ text }) => text !== undefined);
  const choose = (id: string, on: boolean): void => {
    const ids = chosen.map((model) => model.id).filter((one) => one !== id);
    setAddress({ compare: [...ids, ...(on ? [id] : [])].join(',') });
  };
  return (
    <>
      <div class="head">
        <div>
          <h1>Models</h1>
          <p>Every model with its price and its last 30 days. Choose two to four to compare them.</p>
        </div>
      </div>
      <Problem error={error} />
      <div class="filters">
        <TextInput
          label="Search"
          type="search"
          value={address.get('q') ?? ''}
          autoComplete="off"
          onInput={({ currentTarget: { value } }) => setAddress({ q: value })}
        />
        <Select label="Kind" choices={KINDS} value={kind} onChoose={(value) => setAddress({ kind: value })} />
        <Select
          label="Can"
          choices={CAN}
          value={address.get('can') ?? ''}
          onChoose={(can) => setAddress({ can })}
        />
        <Select
          label="Sort by"
          choices={Object.entries(ORDERS).map(([value, { text }]) => ({ value, text }))}
          value={address.get('sort') ?? ''}
          onChoose={(value) => setAddress({ sort: value })}
        />
      </div>
      {hasText ? <CallSizeFields /> : null}
      {chosen.length >= 2 ? <Comparison models={chosen} labelOf={labelOf} /> : null}
      {data === undefined ? error === undefined && <Loading rows={8} /> : null}
      {data !== undefined && shown.length + foundAudio.length === 0 ? (
        <div class="card">
          <Empty title="No model like that" />
        </div>
      ) : null}
      {shown.length === 0 ? null : (
        <div class="card">
          <Table
            caption="Models"
            class="log"
            head={[
              'Pick',
              'Model',
              { text: 'Makes', roomy: true },
              { text: 'Context', numeric: true, roomy: true },
              { text: 'List price', numeric: true },
              { text: 'Your call', numeric: true },
              { text: 'Succeeded', numeric: true, roomy: true },
              { text: 'Median time', numeric: true, roomy: true },
            ]}
          >
            {shown.map((model) => {
              const isChosen = chosen.includes(model);
              return (
                <tr key={model.id}>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Compare ${labelOf(model)}`}
                      checked={isChosen}
                      disabled={!isChosen && chosen.length >= COMPARED_MAX}
                      onChange={({ currentTarget: { checked } }) => choose(model.id, checked)}
                    />
                  </td>
                  <th scope="row">
                    <a href={`models/${encodeURIComponent(model.id)}`}>{model.name}</a>{' '}
                    <span class="soft mono">{model.id}</span>{' '}
                    {(model.media ?? model.text)?.adultsOnly === true ? (
                      <Badge tone="calm">adults only</Badge>
                    ) : null}{' '}
                    {model.isPrivate ? <Badge tone="calm">private</Badge> : null}
                  </th>
                  <td class="soft roomy">
                    {model.media === undefined ? model.makes : modeName(model.media.mode)}
                  </td>
                  <td class="number roomy">{model.text?.contextTokens?.toLocaleString('en') ?? '–'}</td>
                  <td class="number priced">
                    {model.prices.map(({ micro, per, fromMicro }) => (
                      <Fragment key={per}>
                        <span>
                          {money(micro, model.text === undefined ? decimalsOfMedia : decimalsOfText)}{' '}
                          {per}{' '}
                        </span>
                        {fromMicro === undefined ? null : (
                          <span class="soft">from {money(fromMicro, decimalsOfMedia)}</span>
                        )}
                      </Fragment>
                    ))}
                  </td>
                  <td class="number">
                    {model.text === undefined ? (
                      '–'
                    ) : (
                      <TextPrice model={model.text} decimals={decimalsOfCalls} />
                    )}
                  </td>
                  <td class="number roomy">
                    {model.health === undefined ? '–' : percent(model.health.successRate)}
                  </td>
                  <td class="number roomy">{seconds(model.health?.medianSeconds)}</td>
                </tr>
              );
            })}
          </Table>
        </div>
      )}
      {found.length > rows ? (
        <button type="button" onClick={() => setRows(rows + ROWS)}>
          Show {Math.min(ROWS, found.length - rows)} of {found.length - rows} more
        </button>
      ) : null}
      <AudioModels audioModels={foundAudio} />
      <p class="hint">
        The list price of an image or a second of film is that of a call without options; "from" is the lowest
        price with other options. The list price of text is that of a million tokens by usage, with an
        account, and "Your call" is the price of these tokens at it. Wallets pay more for some models; the
        page of a model shows both. Prices are sorted within each kind. Success and speed are of real calls; a
        dash means that there was none.
      </p>
    </>
  );
};

show(<Models />, { wide: true });
