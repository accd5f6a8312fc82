import { adminCall } from './admin.ts';
import { money } from './format.ts';
import { MarginChart } from './margin-chart.tsx';
import { Empty, Loading, Problem, Table } from './ui.tsx';
import { useLoaded } from './use.ts';

const DAY_MS = 86_400_000;
const SPANS = [
  { name: 'Today', days: 1 },
  { name: '7 days', days: 7 },
  { name: '30 days', days: 30 },
];

/** The revenue of the last days, today included. Days are those of UTC. */
export const Revenue = () => {
  const { data, error } = useLoaded(() => adminCall('get', '/v1/admin/margins'), []);
  const since = (days: number): string =>
    new Date(Date.parse(data?.to ?? '') - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const sumOf = (days: number) =>
    (data?.days ?? [])
      .filter(({ day }) => day >= since(days))
      .reduce(
        (sum, { calls, revenueMicro, marginMicro }) => ({
          calls: sum.calls + calls,
          revenue: sum.revenue + revenueMicro,
          margin: sum.margin + marginMicro,
        }),
        { calls: 0, revenue: 0, margin: 0 },
      );
  return (
    <section class="card stack" aria-labelledby="revenue">
      <h2 id="revenue">Revenue</h2>
      <Problem error={error} />
      {data === undefined ? error === undefined && <Loading /> : null}
      {data?.days.length === 0 ? <Empty title="No calls in the last 30 days" /> : null}
      {data === undefined || data.days.length === 0 ? null : (
        <>
          <Table
            caption="Revenue, refunds taken off"
            head={[
              'Time',
              { text: 'Calls', numeric: true },
              { text: 'Revenue', numeric: true },
              { text: 'Margin', numeric: true },
            ]}
          >
            {SPANS.map(({ name, days }) => {
              const { calls, revenue, margin } = sumOf(days);
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="number">{calls}</td>
                  <td class="number">{money(revenue)}</td>
                  <td class="number">{money(margin)}</td>
                </tr>
              );
            })}
          </Table>
          <MarginChart days={data.days} />
          <p class="hint">
            <a href="?view=margins">Margins</a> has each model and vendor.
          </p>
        </>
      )}
    </section>
  );
};
