/** The decimals of micro-USD that are not 0. */
const decimalsIn = (micro: number): string =>
  String(Math.abs(micro) % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');

/** The decimals that show all these amounts exactly, so that a column has amounts of one form. */
export const decimalsOf = (micros: readonly number[]): number =>
  Math.max(2, ...micros.map((micro) => decimalsIn(micro).length));

/** Micro-USD in a readable form: with cents if they are exact, or else with every digit. */
export const money = (micro: number, decimals = 2): string => {
  const whole = Math.trunc(Math.abs(micro) / 1_000_000);
  const digits = decimalsIn(micro).padEnd(decimals, '0');
  return `${micro < 0 ? '−' : ''}$${whole.toLocaleString('en')}.${digits}`;
};

/** Micro-USD rounded down to the cent, because a summary must never show more than the real amount. */
export const cents = (micro: number): string => money(Math.floor(micro / 10_000) * 10_000);

/** Typed dollars as micro-USD; undefined if the text is not an amount. */
export const microOf = (usd: string): number | undefined => {
  const match = /^\$?(\d{1,7})(?:\.(\d{1,6}))?$/.exec(usd.trim());
  return match === null ? undefined : Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0'));
};

const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export const date = (iso: string): string => DATE.format(new Date(iso));
export const time = (iso: string): string => TIME.format(new Date(iso));

/** A day without the year, for a list of the last days. */
const SHORT = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

export const shortTime = (iso: string): string => SHORT.format(new Date(iso));

const HOUR = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', hour: 'numeric' });

export const hour = (iso: string): string => HOUR.format(new Date(iso));

const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The elapsed time, in the largest unit that fits. */
export const ago = (iso: string, now = Date.now()): string => {
  const seconds = (new Date(iso).getTime() - now) / 1_000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return unit === 'second' ? 'just now' : AGO.format(Math.round(seconds / size), unit);
};

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

export const bytes = (size: number): string =>
  size < 1_048_576 ? `${Math.max(1, Math.round(size / 1_024))} KB` : `${(size / 1_048_576).toFixed(1)} MB`;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The name of each model in a list. Models of the same name also have their ids. */
export const labelsOf = (models: readonly Named[]): ((model: Named) => string) => {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { name } of models) (seen.has(name) ? repeated : seen).add(name);
  return ({ id, name }) => (repeated.has(name) ? `${name} · ${id}` : name);
};
