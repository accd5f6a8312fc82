/** The charged calls of one day, model and key: a line of `GET /v1/account/usage`. */
export interface Line {
  readonly day: string;
  readonly modelId: string | null;
  readonly keyId: string | null;
  readonly calls: number;
  readonly spentMicro: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const DAY_MS = 86_400_000;

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The values that the page can show: micro-USD, calls, or tokens. */
export const MEASURES = ['spend', 'calls', 'tokens'] as const;
export type Measure = (typeof MEASURES)[number];

export const valueOf = ({ spentMicro, calls, inputTokens, outputTokens }: Line, measure: Measure): number =>
  measure === 'spend' ? spentMicro : measure === 'calls' ? calls : inputTokens + outputTokens;

export const sumOf = (lines: readonly Line[], measure: Measure): number =>
  lines.reduce((sum, line) => sum + valueOf(line, measure), 0);

/** The change from one period to the next, in words; undefined if the earlier period has no spending. */
export const changeOf = (now: number, before: number): string | undefined => {
  if (before === 0) return undefined;
  const percent = Math.round(((now - before) / before) * 100);
  return percent === 0
    ? 'as in the period before'
    : `${percent > 0 ? '+' : '−'}${Math.abs(percent)}% on the period before`;
};

/** The groups with the largest sums. All other groups are shown as one. */
export const largest = (
  lines: readonly Line[],
  groupOf: (line: Line) => string,
  measure: Measure,
  most: number,
): { readonly groups: readonly string[]; readonly hasRest: boolean } => {
  const sums = new Map<string, number>();
  for (const line of lines) sums.set(groupOf(line), (sums.get(groupOf(line)) ?? 0) + valueOf(line, measure));
  const groups = [...sums.keys()].sort((a, b) => sums.get(b)! - sums.get(a)!);
  return { groups: groups.slice(0, most), hasRest: groups.length > most };
};

interface Forecast {
  /** The expected spending of this month of UTC, in micro-USD. */
  readonly monthMicro: number;
  /** The days until the balance is spent; undefined if there is no spending. */
  readonly daysLeft: number | undefined;
}

const PACE_DAYS = 7;

/** The spending of this month so far, plus the pace of the last seven full days for each remaining day. */
export const forecast = (lines: readonly Line[], balanceMicro: number, now: number): Forecast => {
  const today = dayOf(now);
  const paceFrom = dayOf(now - PACE_DAYS * DAY_MS);
  const perDay =
    sumOf(
      lines.filter(({ day }) => day >= paceFrom && day < today),
      'spend',
    ) / PACE_DAYS;
  const spent = sumOf(
    lines.filter(({ day }) => day.startsWith(today.slice(0, 7))),
    'spend',
  );
  const date = new Date(now);
  const monthDays = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const rest = monthDays - date.getUTCDate() + 1 - (now % DAY_MS) / DAY_MS;
  return {
    monthMicro: Math.round(spent + perDay * rest),
    daysLeft: perDay === 0 ? undefined : Math.floor(balanceMicro / perDay),
  };
};
