import { useState } from 'preact/hooks';

import { ApiError, type Schemas, call } from '../parts/api.ts';
import { date, microOf, money } from '../parts/format.ts';
import { Dialog, Field, Form, Problem, TextInput } from '../parts/ui.tsx';
import { useAction, useLoaded } from '../parts/use.ts';

type Key = Schemas['KeyAnswer'];
type NewKey = Schemas['NewKeyAnswer'];
type Scopes = Schemas['KeyScopesBody'];
type Route = NonNullable<Scopes['routes']>[number];

const ROUTES: readonly { readonly route: Route; readonly text: string }[] = [
  { route: 'chat', text: 'Chat, priced by call' },
  { route: 'studio', text: 'Chat, priced by token' },
  { route: 'image', text: 'Images' },
  { route: 'video', text: 'Films' },
  { route: 'audio', text: 'Speech' },
  { route: 'references', text: 'References' },
  { route: 'read', text: 'Reading: models, balance, jobs' },
  { route: 'keys', text: 'Delegating keys' },
  { route: 'webhooks', text: 'Webhooks' },
  { route: 'cancel', text: 'Cancelling jobs' },
];

const EXPIRIES = [
  { value: '30', text: '30 days' },
  { value: '90', text: '90 days' },
  { value: '365', text: '1 year' },
  { value: 'never', text: 'Never' },
];

/** The limits of a key in words; undefined if it has none. */
export const refusals = (scopes: Scopes): readonly string[] => [
  ...(scopes.routes === undefined
    ? []
    : ROUTES.filter(({ route }) => !scopes.routes?.includes(route)).map(({ text }) => text.toLowerCase())),
  ...(scopes.models === undefined ? [] : [`models other than ${scopes.models.join(', ') || 'none'}`]),
  ...(scopes.priceMicroMax === undefined ? [] : [`calls above ${money(scopes.priceMicroMax)}`]),
  ...(scopes.ips === undefined ? [] : [`calls from outside ${scopes.ips.join(', ')}`]),
  ...(scopes.perMinute === undefined ? [] : [`more than ${scopes.perMinute} calls a minute`]),
];

const listIn = (text = ''): string[] | undefined => {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  return words.length === 0 ? undefined : words;
};

const usd = (micro: number | null | undefined): string =>
  micro === undefined || micro === null ? '' : String(micro / 1e6);

/** The fields for amounts, with the service's names. */
const AMOUNTS = [
  { name: 'spendLimitMicro', label: 'Any 30 days, in USD' },
  { name: 'spendLimits.dayMicro', label: 'A day, in USD' },
  { name: 'spendLimits.monthMicro', label: 'A month, in USD' },
  { name: 'spendLimits.totalMicro', label: 'Ever, in USD' },
] as const;

const PRICE = 'scopes.priceMicroMax';

/** The choice of models. It includes models of the scope that are no longer in the catalog. */
const Models = ({
  chosen,
  onChoose,
  error,
}: {
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
  readonly error: string | undefined;
}) => {
  const { data } = useLoaded((signal) => call('get', '/v1/agent/models', { signal }), []);
  const all = data === undefined ? [] : [...data.models, ...data.textModels, ...data.audioModels];
  return (
    <Field
      label="Models"
      hint={chosen.length === 0 ? 'All models. Choose one to allow only the chosen ones.' : undefined}
      error={error}
    >
      {(ids) => (
        <>
          <select
            {...ids}
            value=""
            onChange={({ currentTarget }) => {
              onChoose([...chosen, currentTarget.value]);
              currentTarget.value = '';
            }}
          >
            <option value="">{chosen.length === 0 ? 'All models' : 'Allow another model'}</option>
            {all
              .filter(({ id }) => !chosen.includes(id))
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name} ({id})
                </option>
              ))}
          </select>
          {chosen.length === 0 ? null : (
            <ul class="plain row picked" aria-label="Allowed models">
              {chosen.map((id) => (
                <li key={id}>
                  <button
                    type="button"
                    class="small"
                    aria-label={`Remove ${id}`}
                    onClick={() => onChoose(chosen.filter((one) => one !== id))}
                  >
                    {id} ×
                  </button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Field>
  );
};

interface Editing {
  /** The key to change. If it is absent, the form creates a key. */
  readonly line?: Key;
  readonly onMade: (made: NewKey) => void;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** The form for all settings of a key, to create it or to change it. */
export const KeyForm = ({ line, onMade, onChanged, onClose }: Editing) => {
  const scopes: Scopes = line?.scopes ?? {};
  const [routes, setRoutes] = useState<readonly Route[]>(scopes.routes ?? ROUTES.map(({ route }) => route));
  const [models, setModels] = useState<readonly string[]>(scopes.models ?? []);
  const [wrong, setWrong] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({
    name: line?.name ?? '',
    expiry: line === undefined ? '90' : 'keep',
    ips: scopes.ips?.join(', ') ?? '',
    perMinute: String(scopes.perMinute ?? ''),
    [PRICE]: usd(scopes.priceMicroMax),
    spendLimitMicro: usd(line?.spendLimitMicro),
    'spendLimits.dayMicro': usd(line?.spendLimits.dayMicro),
    'spendLimits.monthMicro': usd(line?.spendLimits.monthMicro),
    'spendLimits.totalMicro': usd(line?.spendLimits.totalMicro),
  });
  const text = (name: string): string => (typed[name] ?? '').trim();
  const amount = (name: string): number | undefined =>
    text(name) === '' ? undefined : microOf(text(name)) || undefined;
  const wanted: Scopes = {
    routes: routes.length === ROUTES.length ? undefined : [...routes],
    // An empty list allows no model. Only the API can set it, and the form keeps it.
    models: models.length === 0 && scopes.models?.length !== 0 ? undefined : [...models],
    priceMicroMax: amount(PRICE),
    ips: listIn(typed['ips']),
    perMinute: text('perMinute') === '' ? undefined : Number(text('perMinute')),
  };
  const send = useAction(async () => {
    const unread = [PRICE, ...AMOUNTS.map(({ name }) => name)].filter(
      (name) => text(name) !== '' && amount(name) === undefined,
    );
    setWrong(unread);
    if (unread.length > 0) return;
    const expiry = text('expiry');
    const days = expiry === 'never' ? null : (Number(expiry) as 30);
    const body = {
      name: text('name'),
      spendLimitMicro: amount('spendLimitMicro') ?? null,
      spendLimits: {
        dayMicro: amount('spendLimits.dayMicro'),
        monthMicro: amount('spendLimits.monthMicro'),
        totalMicro: amount('spendLimits.totalMicro'),
      },
      scopes: wanted,
    };
    if (line === undefined) {
      onMade(await call('post', '/v1/account/keys', { body: { ...body, expiresInDays: days } }));
      return;
    }
    await call('patch', '/v1/account/keys/{id}', {
      at: { id: line.id },
      body: { ...changesOf(line, body), ...(expiry === 'keep' ? {} : { expiresInDays: days }) },
    });
    onChanged();
  });
  const param = send.error instanceof ApiError ? (send.error.param ?? '') : '';
  const errorOf = (name: string): string | undefined => {
    if (wrong.includes(name)) return 'An amount in dollars, such as 25 or 0.50.';
    return param.replace(/\[\d+\]$/, '') === name ? send.error?.message : undefined;
  };
  const input = (name: string, label: string, more: object = {}) => (
    <TextInput
      label={label}
      name={name}
      autoComplete="off"
      inputMode="decimal"
      placeholder="no limit"
      value={typed[name]}
      error={errorOf(name)}
      onInput={(event) => {
        const { value } = event.currentTarget;
        setTyped((now) => ({ ...now, [name]: value }));
      }}
      {...more}
    />
  );
  const refused = refusals(wanted);
  const isBeside = ['name', 'ips', PRICE, 'scopes.models', ...AMOUNTS.map(({ name }) => name)].some(
    (name) => errorOf(name) !== undefined,
  );
  return (
    <Dialog title={line === undefined ? 'New key' : `Limits of ${line.name}`} onClose={onClose}>
      <Form onSend={() => send.run()}>
        {input('name', 'Name', {
          required: true,
          maxLength: 100,
          placeholder: 'my agent',
          inputMode: 'text',
        })}
        <Field label="Expires">
          {(ids) => (
            <select
              {...ids}
              value={typed['expiry']}
              onChange={({ currentTarget: { value } }) => setTyped((now) => ({ ...now, expiry: value }))}
            >
              {line === undefined ? null : (
                <option value="keep">
                  {line.expiresAt === null ? 'Never, as now' : `${date(line.expiresAt)}, as now`}
                </option>
              )}
              {EXPIRIES.map(({ value, text: name }) => (
                <option key={value} value={value}>
                  {line === undefined || value === 'never' ? name : `${name} from now`}
                </option>
              ))}
            </select>
          )}
        </Field>
        <fieldset>
          <legend>It may spend at most</legend>
          <div class="choices">{AMOUNTS.map(({ name, label }) => input(name, label))}</div>
        </fieldset>
        <div class="choices">
          {input(PRICE, 'One call, in USD')}
          {input('perMinute', 'Calls a minute')}
        </div>
        <fieldset>
          <legend>It may be used for</legend>
          <div class="choices">
            {ROUTES.map(({ route, text: name }) => (
              <label class="check" key={route}>
                <input
                  type="checkbox"
                  checked={routes.includes(route)}
                  onChange={({ currentTarget: { checked } }) =>
                    setRoutes(checked ? [...routes, route] : routes.filter((one) => one !== route))
                  }
                />
                <span>{name}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <Models chosen={models} onChoose={setModels} error={errorOf('scopes.models')} />
        {input('ips', 'Networks', {
          hint: 'Where calls may come from, such as 203.0.113.0/24.',
          placeholder: 'everywhere',
          inputMode: 'text',
        })}
        <p class="soft" role="status">
          {refused.length === 0
            ? 'It may do all that your account may.'
            : `It would be refused: ${refused.join('; ')}.`}
        </p>
        <Problem error={isBeside ? undefined : send.error} />
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="primary" disabled={send.running}>
            {line === undefined ? 'Make the key' : 'Save'}
          </button>
        </div>
      </Form>
    </Dialog>
  );
};

/** Sends only changed values, because a developer may not set values that an owner has set. */
const changesOf = <T extends { readonly [K in keyof T]: unknown }>(line: Key, body: T): Partial<T> => {
  const now: Readonly<Record<string, unknown>> = { ...line };
  const plain = (value: unknown): string => JSON.stringify(value, keysInOrder(value)) ?? '';
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => plain(value) !== plain(now[name])),
  ) as Partial<T>;
};

const keysInOrder = (value: unknown): string[] | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).sort() : null;
