import {
  type Line,
  DAY_MS,
  MEASURES,
  type Measure,
  changeOf,
  dayOf,
  forecast,
  largest,
  sumOf,
  valueOf,
} from './sums.ts';
import { ActivityTabs } from './tabs.tsx';
import { allKeys } from '../parts/all-keys.ts';
import { askAccount } from '../parts/allowed.tsx';
import { addressOf, call } from '../parts/api.ts';
import { cents, count, money } from '../parts/format.ts';
import { MONEY_MOVES, useReloadAfter } from '../parts/live-events.ts';
import { show } from '../parts/shell.tsx';
import { StackChart } from '../parts/stack-chart.tsx';
import { Empty, Loading, Problem, Select, Table } from '../parts/ui.tsx';
import { useAddress, useLoaded } from '../parts/use.ts';

const RANGES = ['7', '30', '90', '180'];
const NAMES: Readonly<Record<Measure, string>> = { spend: 'Spend', calls: 'Calls', tokens: 'Tokens' };
const STACKS = [
  { id: 'model', text: 'Model' },
  { id: 'key', text: 'Key' },
  { id: 'member', text: 'Member' },
] as const;
type By = (typeof STACKS)[number]['id'];

const COLOURS = ['', 's1', 's2', 's4', 's5'];
const REST = { name: 'others', tone: 's3' };

const inWords = (measure: Measure, value: number): string =>
  measure === 'spend'
    ? money(value)
    : measure === 'calls'
      ? count(value, 'call')
      : `${value.toLocaleString('en')} tokens`;

/** The usage of the chosen days, of the same number of days before them, and of this month. */
const loadUsage = async (days: number, signal: AbortSignal) => {
  const now = Date.now();
  const month = `${dayOf(now).slice(0, 7)}-01`;
  const before = dayOf(now - (2 * days - 1) * DAY_MS);
  const [usage, account] = await Promise.all([
    call('get', '/v1/account/usage', { query: { from: before < month ? before : month }, signal }),
    askAccount(),
  ]);
  const from = dayOf(now - (days - 1) * DAY_MS);
  return {
    now,
    from,
    balance: account.balanceMicro,
    all: usage.usage,
    lines: usage.usage.filter(({ day }) => day >= from),
    before: usage.usage.filter(({ day }) => day >= before && day < from),
  };
};

const useGroups = (by: By) => {
  const keys = useLoaded((signal) => allKeys(signal), []);
  const members = useLoaded(async (signal) => {
    const { id, email, organisation } = await askAccount();
    if (organisation.id === id) return [{ id, email }];
    const at = { org: organisation.id };
    return (await call('get', '/v1/account/organisations/{org}/members', { at, signal })).members;
  }, []);
  const keyOf = (id: string) => keys.data?.keys.find((key) => key.id === id);
  const groupOf = ({ modelId, keyId }: Line): string => {
    if (by === 'model') return modelId ?? 'none';
    if (keyId === null) return CONSOLE;
    return by === 'key' ? keyId : (keyOf(keyId)?.madeBy ?? 'deleted keys');
  };
  const nameOf = (group: string): string => {
    if (by === 'model') return group;
    if (group === CONSOLE) return 'Console and sessions';
    return by === 'key'
      ? (keyOf(group)?.name ?? 'A deleted key')
      : (members.data?.find(({ id }) => id === group)?.email ?? group);
  };
  return { groupOf, nameOf };
};

/** The group of calls that a session paid, which have no key. */
const CONSOLE = 'console';

/** The link to the request log of a group, for a range of time. */
const logOf = (by: By, group: string | undefined, from: string, to: string): string => {
  const isNamed = group !== undefined && group !== CONSOLE;
  return addressOf('/account/requests', {
    query: { from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z`, [by]: isNamed ? group : undefined },
  });
};

const Totals = ({ lines, before }: { lines: readonly Line[]; before: readonly Line[] }) => (
  <dl class="totals">
    {MEASURES.map((measure) => {
      const sum = sumOf(lines, measure);
      const change = changeOf(sum, sumOf(before, measure));
      return (
        <div class="card" key={measure}>
          <dt>{NAMES[measure]}</dt>
          <dd>
            <span class="price">{measure === 'spend' ? money(sum) : sum.toLocaleString('en')}</span>
            <span class="soft fine">{change ?? 'nothing in the period before'}</span>
          </dd>
        </div>
      );
    })}
  </dl>
);

const Expected = ({ lines, balance, now }: { lines: readonly Line[]; balance: number; now: number }) => {
  const { monthMicro, daysLeft } = forecast(lines, balance, now);
  return (
    <p class="notice">
      {daysLeft === undefined
        ? `This month costs ${cents(monthMicro)} so far. Nothing was spent in the last seven days.`
        : `At the pace of the last seven days this month will cost ${cents(monthMicro)}. ` +
          `The balance of ${cents(balance)} lasts ${daysLeft > 365 ? 'more than a year' : count(daysLeft, 'day')}.`}
    </p>
  );
};

const Activity = () => {
  const [address, setAddress] = useAddress();
  const days = RANGES.find((range) => range === address.get('days')) ?? '30';
  const measure = MEASURES.find((one) => one === address.get('show')) ?? 'spend';
  const by = STACKS.find(({ id }) => id === address.get('by'))?.id ?? 'model';
  const { data, error, reload } = useLoaded((signal) => loadUsage(Number(days), signal), [days]);
  useReloadAfter(MONEY_MOVES, reload);
  const { groupOf, nameOf } = useGroups(by);
  return (
    <>
      <div class="head">
        <div>
          <h1>Activity</h1>
          <p>Charges by day of UTC. Choose a bar to see its calls.</p>
        </div>
      </div>
      <ActivityTabs at="account/activity" />
      <Problem error={error} />
      <section class="card stack" aria-labelledby="over-time">
        <div class="row apart">
          <h2 id="over-time">{NAMES[measure]} over time</h2>
          <div class="row">
            <Select
              label="Time"
              choices={RANGES.map((value) => ({ value, text: `${value} days` }))}
              value={days}
              onChoose={(value) => setAddress({ days: value })}
            />
            <Select
              label="Show"
              choices={MEASURES.map((value) => ({ value, text: NAMES[value] }))}
              value={measure}
              onChoose={(value) => setAddress({ show: value })}
            />
            <Select
              label="Stack by"
              choices={STACKS.map(({ id, text }) => ({ value: id, text }))}
              value={by}
              onChoose={(value) => setAddress({ by: value })}
            />
          </div>
        </div>
        {data === undefined ? (
          <div class="activity-space">{error === undefined ? <Loading /> : null}</div>
        ) : (
          <Shown {...data} measure={measure} by={by} groupOf={groupOf} nameOf={nameOf} />
        )}
      </section>
    </>
  );
};

const Shown = ({
  now,
  from,
  balance,
  all,
  lines,
  before,
  measure,
  by,
  groupOf,
  nameOf,
}: Awaited<ReturnType<typeof loadUsage>> & { measure: Measure; by: By } & ReturnType<typeof useGroups>) => {
  const { groups, hasRest } = largest(lines, groupOf, measure, COLOURS.length);
  const days = Array.from({ length: (Date.parse(dayOf(now)) - Date.parse(from)) / DAY_MS + 1 }, (_, at) =>
    dayOf(Date.parse(from) + at * DAY_MS),
  );
  const placeOf = (line: Line): number => {
    const place = groups.indexOf(groupOf(line));
    return place === -1 ? groups.length : place;
  };
  const series = [
    ...groups.map((group, at) => ({ name: nameOf(group), tone: COLOURS[at] ?? '' })),
    ...(hasRest ? [REST] : []),
  ];
  const byDay = new Map(days.map((day) => [day, series.map(() => 0)]));
  for (const line of lines) {
    const values = byDay.get(line.day);
    const place = placeOf(line);
    if (values?.[place] !== undefined) values[place] += valueOf(line, measure);
  }
  const sums = [...byDay.values()].map((values) => values.reduce((sum, value) => sum + value, 0));
  const after = (day: string): string => dayOf(Date.parse(day) + DAY_MS);
  const rowsOf = (place: number, of: readonly Line[]) => of.filter((line) => placeOf(line) === place);
  return (
    <>
      <Totals lines={lines} before={before} />
      <Expected lines={all} balance={balance} now={now} />
      {lines.length === 0 ? (
        <Empty title="Nothing was spent in this time">
          <p>The spending of your keys and of the studio appears here, by model, key and member.</p>
        </Empty>
      ) : (
        <>
          <StackChart
            title={`${NAMES[measure]} by day and ${by}`}
            series={series}
            most={inWords(measure, Math.max(...sums))}
            stacks={days.map((day, at) => ({
              label: day,
              values: byDay.get(day) ?? [],
              text: inWords(measure, sums[at] ?? 0),
            }))}
            onPick={(place) => location.assign(logOf(by, undefined, days[place]!, after(days[place]!)))}
          />
          <Table
            caption={`By ${by}`}
            class="log"
            head={[
              STACKS.find(({ id }) => id === by)?.text ?? '',
              { text: 'Spend', numeric: true },
              { text: 'Calls', numeric: true },
              { text: 'Tokens', numeric: true, roomy: true },
              { text: 'Spend before', numeric: true, roomy: true },
            ]}
          >
            {series.map(({ name }, place) => {
              const own = rowsOf(place, lines);
              const group = groups[place];
              return (
                <tr key={group ?? name}>
                  <th scope="row">
                    {group === undefined ? (
                      name
                    ) : (
                      <a href={logOf(by, group, from, after(dayOf(now)))}>{name}</a>
                    )}
                  </th>
                  <td class="number">{money(sumOf(own, 'spend'))}</td>
                  <td class="number">{sumOf(own, 'calls').toLocaleString('en')}</td>
                  <td class="number roomy">{sumOf(own, 'tokens').toLocaleString('en')}</td>
                  <td class="number roomy">{money(sumOf(rowsOf(place, before), 'spend'))}</td>
                </tr>
              );
            })}
          </Table>
        </>
      )}
    </>
  );
};

show(<Activity />, { wide: true });
