import { useState } from 'preact/hooks';

import { ManyModelsDialog } from './many-models-dialog.tsx';
import { ModelDialog } from './model-dialog.tsx';
import {
  type Model,
  type Route,
  hasCheapWrites,
  isChanged,
  isSellable,
  priceLines,
  pricesText,
} from './model-facts.ts';
import { percentOf } from './price-fields.tsx';
import { AdminSection } from './section.tsx';
import { adminCall } from './operator-token.ts';
import type { Schemas } from '../parts/api.ts';
import { ago, count, money, time } from '../parts/format.ts';
import { Badge, Empty, Export, Problem, Select, Table, TextInput } from '../parts/ui.tsx';
import { useAction, useAddress } from '../parts/use.ts';

type Held = Schemas['AdminHeldPrice'];

/** More rows make the page slow. */
const ROWS = 100;
/** The most missing models that a notice names. */
const NAMED = 20;

const FILTERS: Readonly<Record<string, { readonly text: string; readonly fits: (model: Model) => boolean }>> =
  {
    '': { text: 'All models', fits: () => true },
    sale: { text: 'For sale', fits: ({ forSale }) => forSale },
    not: { text: 'Not for sale', fits: ({ forSale }) => !forSale },
    held: { text: 'Held prices', fits: ({ held }) => held.length > 0 },
    below: { text: 'Below cost', fits: ({ isBelowCost }) => isBelowCost === true },
    dearer: {
      text: 'Dearer vendors',
      fits: ({ routes }) => routes.some(({ raisesPrice }) => raisesPrice !== undefined),
    },
    leftOut: {
      text: 'Vendors left out',
      fits: ({ routes }) => routes.some(({ isLeftOut }) => isLeftOut === true),
    },
    changed: { text: 'Changed here', fits: isChanged },
  };

/** Asks for the models, with what each earned in the last 30 days. */
const load = async () => {
  const [{ models, lists, markup }, margins] = await Promise.all([
    adminCall('get', '/v1/admin/models'),
    adminCall('get', '/v1/admin/margins').catch(() => undefined),
  ]);
  return {
    models,
    lists,
    markup,
    margins: new Map(margins?.models.map((each) => [each.modelId, each.marginMicro])),
  };
};

const AgreeButton = ({
  text,
  about,
  agree,
  onDone,
}: {
  readonly text: string;
  readonly about: string;
  readonly agree: () => Promise<unknown>;
  readonly onDone: () => void;
}) => {
  const act = useAction(async () => {
    await agree();
    onDone();
  });
  return (
    <>
      <button
        type="button"
        class="small"
        aria-label={`${text}: ${about}`}
        disabled={act.running}
        onClick={() => void act.run()}
      >
        {text}
      </button>
      <Problem error={act.error} />
    </>
  );
};

const HeldPrice = ({ model, held, onDone }: { model: Model; held: Held; onDone: () => void }) => (
  <p>
    {held.vendor} now asks {pricesText(held.rates)}.{' '}
    <AgreeButton
      text="Agree"
      about={`${model.id} at ${held.vendor}`}
      agree={() =>
        adminCall('patch', '/v1/admin/models/{id}', { at: { id: model.id }, body: { agree: held } })
      }
      onDone={onDone}
    />
  </p>
);

/** A vendor that raises the price, or that an operator left out. */
const VendorNote = ({ model, route, onDone }: { model: Model; route: Route; onDone: () => void }) => {
  const { provider, model: name, isLeftOut, raisesPrice } = route;
  const others = (model.changes.routes ?? []).filter(
    (each) => each.provider !== provider || each.model !== name,
  );
  const routes = isLeftOut === true ? others : [...others, { provider, model: name, leftOut: true }];
  return (
    <p class="hint">
      {provider} {isLeftOut === true ? 'is left out' : `raises the price: ${raisesPrice ?? ''}`}.{' '}
      <AgreeButton
        text={isLeftOut === true ? 'Use it' : 'Leave it out'}
        about={`${provider} for ${model.id}`}
        agree={() =>
          adminCall('patch', '/v1/admin/models/{id}', {
            at: { id: model.id },
            body: { routes: routes.length === 0 ? null : routes },
          })
        }
        onDone={onDone}
      />
    </p>
  );
};

/** The cost at each vendor, in the order of the calls. */
const Costs = ({ model }: { readonly model: Model }) => {
  const priced = model.routes.filter(({ cost }) => cost !== undefined);
  if (priced.length < 2) return <Prices of={priced[0]?.cost ?? model.cost} />;
  return (
    <>
      {priced.map((route) => (
        <div key={`${route.provider} ${route.model}`}>
          <span class="soft">
            {route.provider}
            {route.isLeftOut === true || route.isGone === true ? ' (not used)' : ''}
          </span>
          <div>
            <Prices of={route.cost} />
          </div>
        </div>
      ))}
    </>
  );
};

const Prices = ({ of: prices }: { readonly of: Model['cost'] }) => (
  <>{priceLines(prices).map((line, at) => (at === 0 ? line : <div key={line}>{line}</div>))}</>
);

/** The vendors in the order in which calls try them. */
const vendorsOf = ({ vendor, routes }: Model): string => {
  const used = routes.filter(({ isLeftOut }) => isLeftOut !== true);
  return [...new Set(used.length === 0 ? [vendor] : used.map(({ provider }) => provider))].join(', ');
};

const Row = ({
  model,
  margin,
  isChosen,
  onChoose,
  onAsk,
  onDone,
}: {
  readonly model: Model;
  readonly margin: number | undefined;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly onAsk: () => void;
  readonly onDone: () => void;
}) => {
  const { id, name, vendor, forSale, why, switchedOff, price, held } = model;
  const change = useAction(async (body: Schemas['ModelPatchBody']) => {
    await adminCall('patch', '/v1/admin/models/{id}', { at: { id }, body });
    onDone();
  });
  return (
    <tr>
      <th scope="row">
        <input
          type="checkbox"
          aria-label={`Choose: ${id} of ${vendor}`}
          checked={isChosen}
          disabled={!isSellable(model)}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
        />{' '}
        {name} <span class="soft mono">{id}</span>
        <p class="hint">{vendorsOf(model)}</p>
      </th>
      <td data-of="State">
        <Badge tone={forSale ? 'good' : 'bad'}>
          {forSale ? 'for sale' : switchedOff ? 'switched off' : 'not for sale'}
        </Badge>{' '}
        {model.private ? <Badge tone="calm">private</Badge> : null}{' '}
        {model.adultsOnly ? <Badge tone="calm">adults only</Badge> : null}{' '}
        {model.isBelowCost === true ? <Badge tone="bad">below cost</Badge> : null}
        {isChanged(model) ? <p class="hint">changed here</p> : null}
        {why === undefined ? null : <p class="hint">{why}</p>}
        {forSale && hasCheapWrites(model) ? (
          <p class="hint">cache writes cost less than other input in its list: compare Margins</p>
        ) : null}
        {model.routes
          .filter(({ isGone }) => forSale && isGone === true)
          .map((route) => (
            <p class="hint" key={`${route.provider} ${route.model}`}>
              no call goes to {route.provider}: its list has no {route.model}
            </p>
          ))}
        {model.routes
          .filter(({ isLeftOut, raisesPrice }) => isLeftOut === true || raisesPrice !== undefined)
          .map((route) => (
            <VendorNote
              key={`${route.provider} ${route.model}`}
              model={model}
              route={route}
              onDone={onDone}
            />
          ))}
        {model.agreed.map((each) => (
          <p class="hint" key={`${each.vendor} ${each.model}`}>
            an operator agreed to {pricesText(each.rates)} at {each.vendor}
          </p>
        ))}
        {held.map((each) => (
          <HeldPrice key={`${each.vendor} ${each.model}`} model={model} held={each} onDone={onDone} />
        ))}
        <Problem error={change.error} />
      </td>
      <td class="number prices" data-of="Cost">
        <Costs model={model} />
      </td>
      <td class="number prices" data-of="Price">
        <Prices of={price} />
      </td>
      <td class="number" data-of="Margin, 30 days">
        {margin === undefined ? '–' : money(margin)}
      </td>
      <td>
        {forSale || switchedOff ? (
          <button
            type="button"
            class="small"
            aria-label={`Switch ${forSale ? 'off' : 'on'}: ${id} of ${vendor}`}
            disabled={change.running}
            onClick={() => void change.run({ forSale: forSale ? false : null })}
          >
            {forSale ? 'Off' : 'On'}
          </button>
        ) : null}
        {isSellable(model) ? (
          <button type="button" class="small" aria-label={`Change: ${id} of ${vendor}`} onClick={onAsk}>
            Change
          </button>
        ) : null}
        {isChanged(model) ? (
          <button
            type="button"
            class="small"
            aria-label={`Undo the changes: ${id} of ${vendor}`}
            disabled={change.running}
            onClick={() =>
              void change.run({
                markup: null,
                rates: null,
                private: null,
                adultsOnly: null,
                routes: null,
                agree: null,
              })
            }
          >
            Undo
          </button>
        ) : null}
      </td>
    </tr>
  );
};

/** The number of models. Several lines may be of one model. */
const sizeOf = (lines: readonly Model[]): number => new Set(lines.map(({ id }) => id)).size;

const List = ({
  models,
  margins,
  onDone,
}: {
  readonly models: readonly Model[];
  readonly margins: ReadonlyMap<string, number>;
  readonly onDone: () => void;
}) => {
  const [address, setAddress] = useAddress();
  const [opened, open] = useState<Model>();
  const [rows, setRows] = useState(ROWS);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [many, askMany] = useState<readonly Model[]>();
  const [done, setDone] = useState('');
  const search = address.get('search') ?? '';
  const filter = FILTERS[address.get('state') ?? ''] ?? FILTERS['']!;
  const found = models.filter(
    (model) =>
      filter.fits(model) &&
      [`${model.vendor}/${model.id}`, model.name, ...(model.aliases ?? []), model.why]
        .join(' ')
        .toLowerCase()
        .includes(search.toLowerCase()),
  );
  const shown = found.slice(0, rows);
  // A model may have several lines. Its margin is in the first one.
  const first = new Map(models.toReversed().map((model) => [model.id, model]));
  // A model may have several lines. A change is made once, to those that the filters show.
  const ids = new Set(found.filter(isSellable).map(({ id }) => id));
  const sellable = ids.size.toLocaleString('en');
  const withPrice = ids.size === sizeOf(found) ? '' : ' with a price';
  const taken = [...new Map(found.filter(isSellable).map((model) => [model.id, model])).values()].filter(
    ({ id }) => chosen.has(id),
  );
  return (
    <>
      <div class="filters">
        <TextInput
          label="Search"
          type="search"
          value={search}
          autoComplete="off"
          onInput={({ currentTarget: { value } }) => {
            setRows(ROWS);
            setAddress({ search: value });
          }}
        />
        <Select
          label="Show"
          choices={Object.entries(FILTERS).map(([value, { text }]) => ({ value, text }))}
          value={address.get('state') ?? ''}
          onChoose={(state) => {
            setRows(ROWS);
            setAddress({ state });
          }}
        />
      </div>
      <p class="hint" aria-live="polite">
        {count(sizeOf(found), 'model')}, {sizeOf(found.filter(({ forSale }) => forSale)).toLocaleString('en')}{' '}
        of them for sale
        {withPrice === '' ? '' : `, ${sellable}${withPrice}`}
        {taken.length > 0 ? `, ${taken.length.toLocaleString('en')} chosen` : ''}
      </p>
      <p class="hint" role="status">
        {done}
      </p>
      <div class="row">
        {ids.size === 0 ? null : (
          <button
            type="button"
            class="small"
            onClick={() => setChosen(taken.length === ids.size ? new Set() : ids)}
          >
            {taken.length === ids.size ? 'Choose none' : `Choose all ${sellable}${withPrice}`}
          </button>
        )}
        <button
          type="button"
          class="small"
          disabled={taken.length === 0}
          onClick={() => {
            setDone('');
            askMany(taken);
          }}
        >
          Edit chosen models
        </button>
      </div>
      {shown.length === 0 ? (
        <Empty title="No model like that" />
      ) : (
        <Table
          caption="Models of all vendors"
          class="cards"
          head={[
            'Model',
            'State',
            { text: 'Cost', numeric: true },
            { text: 'Price', numeric: true },
            { text: 'Margin, 30 days', numeric: true },
            'Actions',
          ]}
        >
          {shown.map((model) => (
            <Row
              key={`${model.vendor} ${model.id} ${model.routes[0]?.model ?? ''}`}
              model={model}
              margin={first.get(model.id) === model ? margins.get(model.id) : undefined}
              isChosen={chosen.has(model.id)}
              onChoose={(isChosen) => {
                const others = [...chosen].filter((id) => id !== model.id);
                setChosen(new Set(isChosen ? [...others, model.id] : others));
              }}
              onAsk={() => open(model)}
              onDone={onDone}
            />
          ))}
        </Table>
      )}
      {found.length > rows ? (
        <button type="button" onClick={() => setRows(rows + ROWS)}>
          Show {Math.min(ROWS, found.length - rows)} more
        </button>
      ) : null}
      {many === undefined ? null : (
        <ManyModelsDialog
          models={many}
          onDone={(changed, text) => {
            setDone(text);
            const done = new Set(changed.map(({ id }) => id));
            setChosen(new Set([...chosen].filter((id) => !done.has(id))));
            // A second try is for those that did not change.
            askMany(many.filter(({ id }) => !done.has(id)));
            onDone();
          }}
          onClose={() => askMany(undefined)}
        />
      )}
      {opened === undefined ? null : (
        <ModelDialog
          model={opened}
          onDone={() => {
            open(undefined);
            onDone();
          }}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
};

const saveFile = async (): Promise<void> => {
  const file = await adminCall('get', '/v1/admin/models/export');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify(file, undefined, 2)], { type: 'application/json' }),
  );
  link.download = 'catalog.json';
  link.click();
  URL.revokeObjectURL(link.href);
};

/** All models of all vendors: what they cost, what they sell for, and why some are not for sale. */
export const Models = () => (
  <AdminSection id="models" title="Models" load={load}>
    {({ models, lists, markup, margins }, reload) => (
      <>
        <p>
          The usual price of a listed model is its cost and {percentOf(markup)} % (
          <span class="mono">PRICE_BOOK_MARKUP</span>).
        </p>
        {lists
          .filter(({ problem, isOld }) => problem !== undefined || isOld)
          .map(({ vendor, problem = 'it does not list its models', readAt, models: listed }) => (
            <p class="notice bad" key={vendor}>
              {vendor}: {problem}.{' '}
              {listed === 0
                ? 'It never listed its models.'
                : `Its last list, of ${time(readAt)} (${ago(readAt)}), still decides what is for sale.`}
            </p>
          ))}
        {lists
          .filter(({ missing }) => missing > 0)
          .map(({ vendor, missing, missingModels }) => (
            <p class="notice bad breaks" key={vendor}>
              The newest list of {vendor} lacks {count(missing, 'model')}:{' '}
              {missingModels.slice(0, NAMED).join(', ')}
              {missing > NAMED ? ` and ${missing - NAMED} more` : ''}. They stay for sale until it lacks them
              three times, or you agree.{' '}
              <AgreeButton
                text="They are gone"
                about={vendor}
                agree={() => adminCall('post', '/v1/admin/models/lists/{vendor}/agree', { at: { vendor } })}
                onDone={reload}
              />
            </p>
          ))}
        <List models={models} margins={margins} onDone={reload} />
        <p class="hint">
          Text is priced per million tokens. Each change applies in all processes at once, and the audit keeps
          it. A newer release may have a price that the book lacks. To sell such a model now, add it with its
          price to a <span class="mono">CATALOG_FILE</span>.
        </p>
        <Export text="Save as a CATALOG_FILE" save={saveFile} />
      </>
    )}
  </AdminSection>
);
