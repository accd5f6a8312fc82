import { adminCall } from './admin.ts';
import type { Schemas } from './api.ts';
import { money } from './format.ts';
import { type Series, StackChart } from './stack-chart.tsx';
import { Badge, Empty, Loading, Problem, Table } from './ui.tsx';
import { useLoaded } from './use.ts';

type Day = Schemas['DayMargin'];

const SERIES: readonly Series[] = [
  { name: 'Cost at vendors', tone: 's0' },
  { name: 'Margin', tone: 'good' },
  { name: 'Loss', tone: 'bad' },
];

const NUMBERS = ['Calls', 'Charged', 'Cost', 'Margin'].map((text) => ({ text, numeric: true }) as const);

const nameOf = (modelId: string): string => (modelId === '' ? 'without a model' : modelId);

/** The days in order, each as what was covered, what was earned and what was lost. */
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

const Figures = (sums: Pick<Day, 'calls' | 'revenueMicro' | 'costMicro' | 'marginMicro'>) => (
  <>
    <td class="number">{sums.calls}</td>
    <td class="number">{money(sums.revenueMicro)}</td>
    <td class="number">{money(sums.costMicro)}</td>
    <td class="number">{money(sums.marginMicro)}</td>
  </>
);

const routesText = ({ routes }: Day): string =>
  routes
    .map(({ provider, model, calls, unusedCalls, costMicro }) => {
      const unused = unusedCalls === 0 ? '' : `, ${unusedCalls} unused`;
      return `${provider} ${model}: ${calls} calls${unused}, ${money(costMicro)}`;
    })
    .join('; ');

/** The charges of each model, and its cost at the vendors. */
export const Margins = () => {
  const { data, error, reload } = useLoaded(() => adminCall('get', '/v1/admin/margins'), []);
  const stacks = stacksOf(data?.days ?? []);
  const most = Math.max(0, ...stacks.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  return (
    <section class="card stack" aria-labelledby="margins">
      <div class="row apart">
        <h2 id="margins">Margins</h2>
        <button type="button" class="small" onClick={reload}>
          Read again
        </button>
      </div>
      <Problem error={error} />
      {data === undefined ? error === undefined && <Loading /> : null}
      {data?.days.length === 0 ? <Empty title="No calls in the last 30 days" /> : null}
      {data === undefined || data.days.length === 0 ? null : (
        <>
          <StackChart title="Charges and costs by day" series={SERIES} stacks={stacks} most={money(most)} />
          <Table caption="Models, the lowest margin first" head={['Model', 'State', ...NUMBERS]}>
            {data.models.map((model) => (
              <tr key={model.modelId}>
                <th scope="row">{nameOf(model.modelId)}</th>
                <td>
                  <Badge tone={model.status === 'ok' ? 'good' : 'bad'}>
                    {model.status === 'ok' ? 'ok' : 'below cost'}
                  </Badge>
                </td>
                <Figures {...model} />
              </tr>
            ))}
          </Table>
          <Table caption="Days, newest first" head={['Day', 'Model', ...NUMBERS, 'Vendors']}>
            {data.days.map((day) => (
              <tr key={`${day.day} ${day.modelId}`}>
                <th scope="row" class="nowrap">
                  {day.day}
                </th>
                <td>{nameOf(day.modelId)}</td>
                <Figures {...day} />
                <td>{routesText(day)}</td>
              </tr>
            ))}
          </Table>
          <p class="hint">
            Top-ups are not counted. A cost follows the vendor's answer where it names one, and the rates of
            the catalog elsewhere.
          </p>
        </>
      )}
    </section>
  );
};
