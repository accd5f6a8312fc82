import type { Command } from './command.ts';
import { Misused, number } from './options.ts';
import { note, oneLine, usd } from './output.ts';
import { payerOf } from './who-pays.ts';

const DAY_SECONDS = 86_400;
const KEY_DAYS = 30;
const ACCOUNT_DAYS = [30, 90, 365] as const;
const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: DAY_SECONDS };

/** Parses `12h`, `7d`, `90m`, or a number of days. */
const secondsOf = (text: string | undefined): number => {
  const [, count, unit = 'd'] = /^(\d{1,6})([mhd])?$/.exec(text ?? String(KEY_DAYS)) ?? [];
  if (count === undefined || Number(count) === 0)
    throw new Misused('--expires is such as 90m, 12h or 30d; without a letter it is days.');
  return Number(count) * UNIT_SECONDS[unit]!;
};

const UNITS = [
  [DAY_SECONDS, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

const until = (seconds: number): string => {
  const [long, name] = UNITS.find(([one]) => seconds % one === 0) ?? UNITS[2];
  return `${seconds / long} ${name}${seconds === long ? '' : 's'}`;
};

const limitOf = (max: number): number => Math.round(max * 1e6);

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly spentMicro?: number;
  readonly limitMicro?: number | null;
  readonly spendLimitMicro?: number | null;
  readonly expiresAt?: string | null;
}

const lineOf = ({ id, name, spentMicro, limitMicro, spendLimitMicro, expiresAt }: Listed): string => {
  const limit = limitMicro ?? spendLimitMicro ?? undefined;
  const spent = spentMicro === undefined ? '' : `  ${usd(spentMicro)} spent`;
  const most = limit === undefined ? '' : ` of ${usd(limit)}`;
  return `${id}  ${oneLine(name)}${spent}${most}${expiresAt ? `  until ${expiresAt}` : ''}`;
};

export const keys: Command = {
  usage: ['', 'create NAME --max USD [--expires 30d]', 'delete ID'],
  about: 'makes keys for others, which spend a part of your money for a limited time',
  more:
    'A key that is made here spends up to --max of the money of your key or wallet, and is good for 30 days unless --expires says so.\n' +
    'With the cookie of a session in LAMPPOST_SESSION they are the keys of its account.',
  options: ['max', 'expires'],
  words: ['create', 'delete'],
  examples: ['', 'create helper --max 0.5 --expires 12h', 'delete key_…'],
  run: async ({ client, words: [what, which, ...more], options }) => {
    const isSession = payerOf(options) === 'session';
    const isOne = which !== undefined && more.length === 0;
    if (what === 'create' && isOne) {
      const max = number(options.max, 'max');
      const seconds = secondsOf(options.expires);
      // A pipe gets the key alone.
      const shown = (key: string): string => {
        note(`It is shown only now, and valid for ${until(seconds)}.\n`);
        return key;
      };
      if (isSession) {
        const limit = max === undefined ? {} : { spendLimitMicro: limitOf(max) };
        const days = ACCOUNT_DAYS.find((one) => one * DAY_SECONDS === seconds);
        if (days === undefined)
          throw new Misused(`A key of an account is valid for ${ACCOUNT_DAYS.join(', ')} days.`);
        const made = await client.keys.create({ name: which, expiresInDays: days, ...limit });
        return { json: made, text: shown(made.key) };
      }
      if (max === undefined) throw new Misused('Set its limit in USD with --max, such as --max 0.5.');
      const body = { name: which, limitMicro: limitOf(max), expiresInSeconds: seconds };
      const made = await client.delegated.create(body);
      return { json: made, text: shown(made.key) };
    }
    if (what === 'delete' && isOne) {
      await (isSession ? client.keys : client.delegated).delete(which);
      return { json: { deleted: which }, text: `${which} is deleted.` };
    }
    if (what !== undefined) throw new Misused('It is `keys`, `keys create NAME` or `keys delete ID`.');
    const all = isSession ? await client.keys.list() : await client.delegated.list();
    return {
      json: { keys: all },
      text: all.map(lineOf).join('\n') || 'No keys.',
    };
  },
};
