import type { Schemas } from '../parts/api.ts';
import { money } from '../parts/format.ts';
import { type Series, StackChart } from '../parts/stack-chart.tsx';

type Day = Schemas['DayMargin'];

const SERIES: readonly Series[] = [
  { name: 'Cost at vendors', tone: 's0' },
  { name: 'Margin', tone: 'good' },
  { name: 'Loss', tone: 'bad' },
];

/** The days in order, each with the covered cost, the profit and the loss. */
const stacksOf = (days: readonly Day[]) => {
  const sums = new Map<string, { revenue: number; cost: number }>();
  for (const { day, revenueMicro, costMicro } of days) {
    const sum = sums.get(day) ?? { revenue: 0, cost: 0 };
    sums.set(day, { revenue: sum.revenue + revenueMicro, cost: sum.cost + costMicro });
  }
  return [...sums]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([label, { revenue, cost }]) => ({
      label,
      values: [Math.min(revenue, cost), Math.max(0, revenue - cost), Math.max(0, cost - revenue)],
      text: `charged ${money(revenue)}, cost ${money(cost)}`,
    }));
};

/** Shows the charges by day: the part that covers the vendors' cost, and the profit or the loss. */
export const MarginChart = ({ days }: { readonly days: readonly Day[] }) => {
  const stacks = stacksOf(days);
  const most = Math.max(0, ...stacks.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  return <StackChart title="Charges and costs by day" series={SERIES} stacks={stacks} most={money(most)} />;
};
