import { type Model, type Rates, type Route, pricesText } from './model-facts.ts';
import { adminCall } from './operator-token.ts';
import { PercentField, RateFields, priceIn, priceTexts } from './price-fields.tsx';
import type { Schemas } from '../parts/api.ts';
import { FormDialog, TextInput } from '../parts/ui.tsx';

type Fields = Readonly<Record<string, string>>;
type Patch = Schemas['ModelPatchBody'];

/** The place of a route in the dialog: none if it is left out. */
const placeOf = (route: Route, at: number): string => (route.isLeftOut === true ? '' : String(at + 1));

/** The routes in the order of their numbers, then those without one. Empty if nobody changed the numbers. */
const routesIn = ({ routes }: Model, fields: Fields): Pick<Patch, 'routes'> => {
  const numbered = routes.map((route, at) => ({
    route: { provider: route.provider, model: route.model },
    place: fields[`route-${at}`] ?? placeOf(route, at),
    before: placeOf(route, at),
  }));
  if (numbered.every(({ place, before }) => place === before)) return {};
  const first = numbered
    .filter(({ place }) => place !== '')
    .toSorted((a, b) => Number(a.place) - Number(b.place));
  if (first.length === 0) return { routes: null };
  const leftOut = numbered.filter(({ place }) => place === '');
  return {
    routes: [
      ...first.map(({ route }) => route),
      ...leftOut.map(({ route }) => ({ ...route, leftOut: true })),
    ],
  };
};

/** The reason of a refusal, with the words of this page for what an operator can do. */
export const refusalText = (message: string): string => {
  if (!message.includes('below its cost')) return message;
  const why = message.replace(/\.( A price can have steps,.*)? To permit that,.*$/, '.');
  return `${why} Check “Also below the cost” if you want that.`;
};

const changeModel = async (id: string, body: Patch): Promise<void> => {
  try {
    await adminCall('patch', '/v1/admin/models/{id}', { at: { id }, body });
  } catch (error) {
    throw new Error(refusalText((error as Error).message), { cause: error });
  }
};

const hintOf = ({ cost, raisesPrice, isLeftOut }: Route): string =>
  [
    cost === undefined ? [] : `It costs ${pricesText(cost)}.`,
    raisesPrice === undefined ? [] : `It raises the price: ${raisesPrice}.`,
    isLeftOut === true ? 'It is left out.' : 'Without a place, it is left out.',
  ]
    .flat()
    .join(' ');

export const Flag = ({ name, label, isOn }: { name: string; label: string; isOn: boolean }) => (
  <label class="row">
    <input type="checkbox" name={name} defaultChecked={isOn} /> {label}
  </label>
);

/** Changes the price, the flags and the order of the routes of a model. */
export const ModelDialog = ({
  model,
  onDone,
  onClose,
}: {
  readonly model: Model;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const { id, changes, cost, price } = model;
  const present = priceTexts(changes);
  const send = async (fields: Fields): Promise<void> => {
    const isNewPrice = Object.keys(present).some((name) => (fields[name] ?? '') !== present[name]);
    const body: Patch = {
      ...(model.isListed && isNewPrice ? priceIn(fields) : {}),
      ...('private' in fields === model.private ? {} : { private: 'private' in fields }),
      ...('adultsOnly' in fields === model.adultsOnly ? {} : { adultsOnly: 'adultsOnly' in fields }),
      ...routesIn(model, fields),
      ...(fields['reason'] === '' ? {} : { reason: fields['reason'] }),
    };
    await changeModel(id, body);
    onDone();
  };
  return (
    <FormDialog title="Change a model" action="Change" onSend={send} onClose={onClose}>
      <p class="mono">{id}</p>
      <p class="hint">
        It costs {pricesText(cost)}, and sells for {pricesText(price)}
        {model.chatPrice === undefined
          ? '.'
          : ` by usage. At /v1/agent/chat${model.isListed ? '' : ', and for wallets also by usage,'} it sells for ${pricesText(model.chatPrice)}.`}
      </p>
      {model.isListed ? (
        <>
          <PercentField text={present['percent']} hint="Empty for the default." />
          {model.kind === 'text' ? (
            <>
              <p>Or prices of its own, instead of a markup:</p>
              <RateFields cost={(cost ?? {}) as Rates} texts={present} />
            </>
          ) : null}
          <Flag name="belowCost" label="Also below the cost" isOn={changes.belowCost === true} />
        </>
      ) : (
        <p class="hint">Its price is that of the catalog.</p>
      )}
      {model.kind === 'audio' ? null : <Flag name="private" label="Private" isOn={model.private} />}
      <Flag name="adultsOnly" label="Adults only" isOn={model.adultsOnly} />
      {model.routes.length > 1
        ? model.routes.map((route, at) => (
            <TextInput
              key={`${route.provider} ${route.model}`}
              label={`Place of ${route.provider} ${route.model}`}
              name={`route-${at}`}
              type="number"
              min={1}
              max={model.routes.length}
              defaultValue={placeOf(route, at)}
              hint={hintOf(route)}
            />
          ))
        : null}
      <TextInput label="Reason" name="reason" maxLength={300} autoComplete="off" hint="The audit keeps it." />
    </FormDialog>
  );
};
