import { type Schemas, call } from '../parts/api.ts';
import { date, money } from '../parts/format.ts';
import { type LiveType, MONEY_MOVES, useReloadAfter } from '../parts/live-events.ts';
import { Waits } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

type Alert = Schemas['AlertAnswer'];

interface AlertData {
  readonly balanceMicro: number;
  readonly limitMicro: number;
  readonly spentMicro: number;
  readonly name: string;
  readonly percent: number;
  readonly window: '30 days' | 'day' | 'month' | 'total';
  readonly expiresAt: string;
  readonly amountMicro: number;
  readonly isOff: boolean;
}

const WINDOWS = { '30 days': ' for 30 days', day: ' for a day', month: ' for a month', total: '' } as const;

const WORDS: Readonly<Record<Alert['type'], (data: AlertData) => string>> = {
  'balance.low': ({ limitMicro }) => `Your balance fell below ${money(limitMicro)}.`,
  'top_up.failed': ({ amountMicro, isOff }) =>
    `Your saved card was not charged ${money(amountMicro)}. ${isOff ? 'Automatic top-ups are off now.' : 'It is tried again in some hours.'}`,
  'spend.high': ({ limitMicro }) => `More than ${money(limitMicro)} was spent today.`,
  'key.limit_near': ({ name, percent, window, limitMicro }) =>
    `${name} has spent ${percent} % of its ${money(limitMicro)}${WINDOWS[window]}.`,
  'key.expiring': ({ name, expiresAt }) => `${name} expires on ${date(expiresAt)}.`,
};

/** The active alerts; ended ones are hidden. */
export const Alerts = ({ types }: { readonly types: readonly (Alert['type'] & LiveType)[] }) => {
  const { data, error, reload } = useLoaded((signal) => call('get', '/v1/account/alerts', { signal }), []);
  useReloadAfter([...types, ...MONEY_MOVES], reload);
  if (data === undefined) return error === undefined ? <Waits /> : null;
  const standing = data.standing.filter(({ type }) => types.includes(type));
  return standing.length === 0 ? null : (
    <ul class="plain stack" aria-label="Alerts">
      {standing.map(({ type, since, data }) => (
        <li key={`${type} ${since} ${JSON.stringify(data)}`} class="notice">
          {WORDS[type](data as unknown as AlertData)}
        </li>
      ))}
    </ul>
  );
};
