import { useState } from 'preact/hooks';

import { type Schemas, call } from './api.ts';
import { microOf, money } from './format.ts';
import { Dialog, Form, Problem, TextInput } from './ui.tsx';
import { useAction } from './use.ts';

type Key = Schemas['KeyAnswer'];
type Scopes = Schemas['KeyScopesBody'];
type Route = NonNullable<Scopes['routes']>[number];

const ROUTES: readonly { readonly route: Route; readonly text: string }[] = [
  { route: 'chat', text: 'Chat, priced by call' },
  { route: 'studio', text: 'Chat, priced by token' },
  { route: 'image', text: 'Images' },
  { route: 'video', text: 'Films' },
  { route: 'references', text: 'References' },
  { route: 'read', text: 'Looking: models, balance, jobs' },
  { route: 'keys', text: 'Handing on keys' },
  { route: 'webhooks', text: 'Webhooks' },
  { route: 'cancel', text: 'Cancelling jobs' },
];

/** The limits of a key, in words; nothing when it has none. */
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

const usd = (micro: number | undefined): string => (micro === undefined ? '' : String(micro / 1e6));

interface Editing {
  readonly line: Key;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** The form for the limits of a key, and the refusals that the typed values would cause. */
export const Limits = ({ line, onDone, onClose }: Editing) => {
  const { scopes, spendLimits } = line;
  const [routes, setRoutes] = useState<readonly Route[]>(scopes.routes ?? ROUTES.map(({ route }) => route));
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({
    models: scopes.models?.join(', ') ?? '',
    price: usd(scopes.priceMicroMax),
    ips: scopes.ips?.join(', ') ?? '',
    perMinute: String(scopes.perMinute ?? ''),
    day: usd(spendLimits.dayMicro),
    month: usd(spendLimits.monthMicro),
    total: usd(spendLimits.totalMicro),
  });
  const amount = (name: string): number | undefined =>
    (typed[name] ?? '').trim() === '' ? undefined : (microOf(typed[name] ?? '') ?? 0);
  const wanted: Scopes = {
    routes: routes.length === ROUTES.length ? undefined : [...routes],
    models: listIn(typed['models']),
    priceMicroMax: amount('price'),
    ips: listIn(typed['ips']),
    perMinute: (typed['perMinute'] ?? '').trim() === '' ? undefined : Number(typed['perMinute']),
  };
  const save = useAction(async () => {
    const limits = { dayMicro: amount('day'), monthMicro: amount('month'), totalMicro: amount('total') };
    await call('patch', '/v1/account/keys/{id}', {
      at: { id: line.id },
      body: { scopes: wanted, spendLimits: limits },
    });
    onDone();
  });
  const input = (name: string, label: string, hint?: string) => (
    <TextInput
      label={label}
      name={name}
      hint={hint}
      placeholder="no limit"
      autoComplete="off"
      inputMode={name === 'models' || name === 'ips' ? 'text' : 'decimal'}
      value={typed[name]}
      onInput={(event) => {
        const { value } = event.currentTarget;
        setTyped((now) => ({ ...now, [name]: value }));
      }}
    />
  );
  const refused = refusals(wanted);
  return (
    <Dialog title={`What ${line.name} may`} onClose={onClose}>
      <Form onSend={() => save.run()}>
        <fieldset>
          <legend>Use it for</legend>
          <div class="choices">
            {ROUTES.map(({ route, text }) => (
              <label class="check" key={route}>
                <input
                  type="checkbox"
                  checked={routes.includes(route)}
                  onChange={({ currentTarget: { checked } }) =>
                    setRoutes(checked ? [...routes, route] : routes.filter((one) => one !== route))
                  }
                />
                <span>{text}</span>
              </label>
            ))}
          </div>
        </fieldset>
        {input('models', 'Models', 'Their ids, with commas between them.')}
        {input('price', 'One call, in USD')}
        {input('perMinute', 'Calls a minute')}
        {input('ips', 'Networks', 'Where calls may come from, such as 203.0.113.0/24.')}
        <div class="choices">
          {input('day', 'A day, in USD')}
          {input('month', 'A month, in USD')}
          {input('total', 'Ever, in USD')}
        </div>
        <p class="soft" role="status">
          {refused.length === 0
            ? 'It may do all that your account may.'
            : `It would be refused: ${refused.join('; ')}.`}
        </p>
        <Problem error={save.error} />
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="primary" disabled={save.running}>
            Save
          </button>
        </div>
      </Form>
    </Dialog>
  );
};
