import { AdminSection } from './section.tsx';
import { adminCall } from './operator-token.ts';
import type { Schemas } from '../parts/api.ts';
import { money } from '../parts/format.ts';
import { MarginChart } from './margin-chart.tsx';
import { Empty, Table } from '../parts/ui.tsx';

const DAY_MS = 86_400_000;
const SPANS = [
  { name: 'Today', days: 1 },
  { name: '7 days', days: 7 },
  { name: '30 days', days: 30 },
];

/** The sums of these margins over the last days. */
const sumOf = ({ to, days: all }: Schemas['MarginsAnswer'], days: number) => {
  const since = new Date(Date.parse(to) - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  return all
    .filter(({ day }) => day >= since)
    .reduce(
      (sum, { calls, revenueMicro, marginMicro }) => ({
        calls: sum.calls + calls,
        revenue: sum.revenue + revenueMicro,
        margin: sum.margin + marginMicro,
      }),
      { calls: 0, revenue: 0, margin: 0 },
    );
};

/** The revenue of the last days of UTC, including today. */
export const Revenue = () => (
  <AdminSection id="revenue" title="Revenue" load={() => adminCall('get', '/v1/admin/margins')}>
    {(margins) =>
      margins.days.length === 0 ? (
        <Empty title="No calls in the last 30 days" />
      ) : (
        <>
          <Table
            caption="Revenue without refunds"
            head={[
              'Time',
              { text: 'Calls', numeric: true },
              { text: 'Revenue', numeric: true },
              { text: 'Margin', numeric: true },
            ]}
          >
            {SPANS.map(({ name, days }) => {
              const { calls, revenue, margin } = sumOf(margins, days);
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
          <MarginChart days={margins.days} />
          <p class="hint">
            <a href="?view=margins">Margins</a> has each model and vendor.
          </p>
        </>
      )
    }
  </AdminSection>
);
