import { type Schemas, call } from '../parts/api.ts';
import { allKeys } from '../parts/all-keys.ts';
import { type Bar, BarChart, Shares } from '../parts/chart.tsx';
import { count, money } from '../parts/format.ts';
import { MONEY_MOVES, useReloadAfter } from '../parts/live-events.ts';
import { Empty, Loading, Problem, Select, Table } from '../parts/ui.tsx';
import { useAddress, useLoaded } from '../parts/use.ts';

type Line = Schemas['UsageLine'];

const DAY_MS = 86_400_000;
const RANGES = ['7', '30', '90', '365'];
const VIEWS = [
  { id: 'day', name: 'By day' },
  { id: 'model', name: 'By model' },
  { id: 'key', name: 'By key' },
] as const;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

interface Sum {
  readonly spent: number;
  readonly calls: number;
}

const sumBy = (lines: readonly Line[], nameOf: (line: Line) => string): ReadonlyMap<string, Sum> => {
  const sums = new Map<string, Sum>();
  for (const line of lines) {
    const { spent, calls } = sums.get(nameOf(line)) ?? { spent: 0, calls: 0 };
    sums.set(nameOf(line), { spent: spent + line.spentMicro, calls: calls + line.calls });
  }
  return sums;
};

const everyDay = (from: string, to: string): readonly string[] => {
  const start = Date.parse(from);
  return Array.from({ length: (Date.parse(to) - start) / DAY_MS + 1 }, (_, at) => dayOf(start + at * DAY_MS));
};

/** The spending, as a chart and as numbers. */
export const Usage = () => {
  const [address, setAddress] = useAddress();
  const days = RANGES.find((range) => range === address.get('days')) ?? '30';
  const view = VIEWS.find(({ id }) => id === address.get('by')) ?? VIEWS[0];
  const usage = useLoaded(
    (signal) =>
      call('get', '/v1/account/usage', {
        query: { from: dayOf(Date.now() - (Number(days) - 1) * DAY_MS) },
        signal,
      }),
    [days],
  );
  const keys = useLoaded((signal) => allKeys(signal), []);
  useReloadAfter(MONEY_MOVES, usage.reload);
  const { data } = usage;
  const keyName = (id: string | null): string =>
    id === null
      ? 'You, in the studio'
      : (keys.data?.keys.find((key) => key.id === id)?.name ?? 'A deleted key');
  const names: Readonly<Record<string, (line: Line) => string>> = {
    day: ({ day }) => day,
    model: ({ modelId }) => modelId ?? 'none',
    key: ({ keyId }) => keyName(keyId),
  };
  const sums = sumBy(data?.usage ?? [], names[view.id]!);
  const labels =
    view.id === 'day' && data !== undefined
      ? everyDay(data.from, data.to)
      : [...sums.keys()].sort((a, b) => sums.get(b)!.spent - sums.get(a)!.spent);
  const bars = labels.map((label): Bar => {
    const { spent = 0 } = sums.get(label) ?? {};
    return { label, value: spent, text: money(spent) };
  });
  const rows = [...labels].filter((label) => sums.has(label));
  if (view.id === 'day') rows.reverse();
  return (
    <section class="card stack" aria-labelledby="usage">
      <div class="row apart">
        <h2 id="usage">Usage</h2>
        <a href="account/activity">Charts by model, key and member</a>
        <Select
          label="Time"
          choices={RANGES.map((value) => ({ value, text: value === '365' ? '1 year' : `${value} days` }))}
          value={days}
          onChoose={(value) => setAddress({ days: value })}
        />
      </div>
      <div class="tabs">
        {VIEWS.map(({ id, name }) => (
          <button type="button" key={id} aria-pressed={id === view.id} onClick={() => setAddress({ by: id })}>
            {name}
          </button>
        ))}
      </div>
      <Problem error={usage.error} />
      {data === undefined ? (
        usage.error === undefined && <Loading />
      ) : data.usage.length === 0 ? (
        <Empty title="Nothing was spent in this time">
          <p>The spending of your keys and of the studio appears here, by day, model and key.</p>
        </Empty>
      ) : (
        <>
          <p>
            <span class="price">{money(data.spentMicro)}</span>{' '}
            <span class="soft">
              from {data.from} to {data.to}
            </span>
          </p>
          {view.id === 'day' ? (
            <BarChart title={`Spent by day, ${data.from} to ${data.to}`} bars={bars} />
          ) : (
            <Shares title={`Spent by ${view.id}`} bars={bars} />
          )}
          <Table
            caption={`Spent by ${view.id}`}
            head={[
              view.id === 'day' ? 'Day (UTC)' : view.name.slice(3),
              { text: 'Calls', numeric: true },
              { text: 'Spent', numeric: true },
            ]}
          >
            {rows.map((label) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td class="number">{count(sums.get(label)!.calls, 'call')}</td>
                <td class="number">{money(sums.get(label)!.spent)}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </section>
  );
};
