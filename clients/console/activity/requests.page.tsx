import { useState } from 'preact/hooks';

import { ActivityTabs } from './tabs.tsx';
import { allKeys } from '../parts/all-keys.ts';
import { askAccount } from '../parts/allowed.tsx';
import { call, download } from '../parts/api.ts';
import { count, money, shortTime, time } from '../parts/format.ts';
import { Receipt } from '../billing/receipt.tsx';
import { type Request, RequestDetails, duration, measure, sumsOf } from './request-details.tsx';
import { show } from '../parts/shell.tsx';
import { StackChart } from '../parts/stack-chart.tsx';
import { Badge, Empty, Export, Form, Loading, Problem, Select, Table, TextInput } from '../parts/ui.tsx';
import { useAction, useAddress, useLoaded } from '../parts/use.ts';

const REQUESTS = '/v1/account/requests';

const HOUR_MS = 3_600_000;
const TIMES = [
  { value: '1', text: '1 hour' },
  { value: '24', text: '24 hours' },
  { value: '168', text: '7 days' },
  { value: '720', text: '30 days' },
] as const;

const STATUSES = {
  ok: { text: 'charged', tone: 'good' },
  running: { text: 'running', tone: 'busy' },
  refused: { text: 'refused', tone: 'bad' },
  failed: { text: 'failed', tone: 'bad' },
  refunded: { text: 'refunded', tone: 'calm' },
} as const;
type Status = keyof typeof STATUSES;

const isStatus = (text: string | null): text is Status => text !== null && text in STATUSES;

const SERIES = [
  { name: 'charged', tone: 'good' },
  { name: 'running', tone: '' },
  { name: 'failed or refunded', tone: 'bad' },
  { name: 'refused', tone: 's3' },
];

interface Query {
  readonly from: string;
  readonly to?: string;
  readonly status?: Status;
  readonly keyId?: string;
  readonly modelId?: string;
  readonly member?: string;
  readonly tag?: string;
  readonly session?: string;
  readonly code?: string;
}

/**
 * Makes the query from the filters in the address. `now` is the time of the choice, so the start of a range of hours
 * stays the same.
 */
const queryIn = (address: URLSearchParams, now: number): Query => {
  const text = (name: string): string | undefined => address.get(name) ?? undefined;
  const hours = Number(TIMES.find(({ value }) => value === text('hours'))?.value ?? '24');
  const status = address.get('status');
  return {
    from: text('from') ?? new Date(now - hours * HOUR_MS).toISOString(),
    to: text('to'),
    status: isStatus(status) ? status : undefined,
    keyId: text('key'),
    modelId: text('model'),
    member: text('member'),
    tag: text('tag'),
    session: text('session'),
    code: text('code'),
  };
};

type Change = (changes: Readonly<Record<string, string | undefined>>) => void;

const useNames = () => {
  const keys = useLoaded((signal) => allKeys(signal), []);
  const models = useLoaded((signal) => call('get', '/v1/agent/models', { signal }), []);
  const members = useLoaded(async (signal) => {
    const { id, organisation } = await askAccount();
    if (organisation.id === id) return [];
    const at = { org: organisation.id };
    return (await call('get', '/v1/account/organisations/{org}/members', { at, signal })).members;
  }, []);
  return {
    keys: keys.data?.keys ?? [],
    models: [...(models.data?.models ?? []), ...(models.data?.textModels ?? [])],
    members: members.data ?? [],
  };
};

const ANY = { value: '', text: 'All' };

/** Adds the chosen value to the options, because it may no longer be in the list, such as a deleted key. */
const withChosen = (
  choices: readonly { readonly value: string; readonly text: string }[],
  value = '',
): readonly { readonly value: string; readonly text: string }[] =>
  value === '' || choices.some((choice) => choice.value === value)
    ? [ANY, ...choices]
    : [ANY, ...choices, { value, text: value }];

const Filters = ({ query, hours, change }: { query: Query; hours: string; change: Change }) => {
  const { keys, models, members } = useNames();
  const times = query.to === undefined ? TIMES : [...TIMES, { value: 'picked', text: 'A picked time' }];
  return (
    <div class="filters">
      <Select
        label="Time"
        choices={times}
        value={query.to === undefined ? hours : 'picked'}
        onChoose={(value) => change({ hours: value, from: undefined, to: undefined })}
      />
      <Select
        label="Status"
        choices={[ANY, ...Object.entries(STATUSES).map(([value, { text }]) => ({ value, text }))]}
        value={query.status ?? ''}
        onChoose={(status) => change({ status })}
      />
      <Select
        label="Key"
        choices={withChosen(
          keys.map(({ id, name }) => ({ value: id, text: name })),
          query.keyId,
        )}
        value={query.keyId ?? ''}
        onChoose={(key) => change({ key })}
      />
      <Select
        label="Model"
        choices={withChosen(
          models.map(({ id }) => ({ value: id, text: id })),
          query.modelId,
        )}
        value={query.modelId ?? ''}
        onChoose={(model) => change({ model })}
      />
      {members.length === 0 ? null : (
        <Select
          label="Member"
          choices={withChosen(
            members.map(({ id, email }) => ({ value: id, text: email })),
            query.member,
          )}
          value={query.member ?? ''}
          onChoose={(member) => change({ member })}
        />
      )}
      <Form
        class="filters"
        onSend={async ({ tag, code }) => change({ tag: tag?.trim(), code: code?.trim().toUpperCase() })}
      >
        <TextInput key={`tag ${query.tag}`} label="Tag" name="tag" maxLength={64} defaultValue={query.tag} />
        <TextInput
          key={`code ${query.code}`}
          label="Error code"
          name="code"
          maxLength={60}
          defaultValue={query.code}
        />
        <button class="small">Filter</button>
      </Form>
    </div>
  );
};

const placeOf = (iso: string, isLong: boolean): string =>
  new Intl.DateTimeFormat(
    'en',
    isLong ? { month: 'short', day: 'numeric' } : { hour: 'numeric', minute: '2-digit' },
  ).format(new Date(iso));

const Histogram = ({ query, change }: { query: Query; change: Change }) => {
  const { data, error } = useLoaded(
    (signal) => call('get', `${REQUESTS}/histogram`, { query: { ...query }, signal }),
    [JSON.stringify(query)],
  );
  if (data === undefined)
    return (
      <div class="chart-space">
        <Problem error={error} />
        {error === undefined ? <Loading /> : null}
      </div>
    );
  const { buckets, bucketSeconds, countedSince, refusals } = data;
  const isLong = Date.parse(data.to) - Date.parse(data.from) > 36 * HOUR_MS;
  const sums = buckets.map(({ ok, running, failed, refused }) => ok + running + failed + refused);
  const listed = buckets.reduce((sum, { refused }) => sum + refused, 0);
  return (
    <>
      <StackChart
        title="Calls over time"
        series={SERIES}
        most={count(Math.max(...sums), 'call')}
        stacks={buckets.map(({ at, ok, running, failed, refused }) => ({
          label: placeOf(at, isLong),
          id: at,
          values: [ok, running, failed, refused],
          text: `${ok} charged, ${running} running, ${failed} failed or refunded, ${refused} refused`,
        }))}
        onPick={(place) => {
          const start = Date.parse(buckets[place]!.at);
          change({
            from: new Date(start).toISOString(),
            to: new Date(start + bucketSeconds * 1_000).toISOString(),
          });
        }}
      />
      <p class="soft fine">
        {count(
          sums.reduce((all, sum) => all + sum, 0),
          'call',
        )}{' '}
        in this time.{' '}
        {countedSince === null ? '' : `Only the newest ones are counted, since ${time(countedSince)}. `}
        {refusals === null || refusals <= listed
          ? ''
          : `${count(refusals, 'call')} were refused in these hours, and a sample of them is listed. `}
      </p>
    </>
  );
};

const Line = ({
  line,
  isOpen,
  columns,
  onToggle,
  onReceipt,
  onSession,
}: {
  readonly line: Request;
  readonly isOpen: boolean;
  readonly columns: number;
  readonly onToggle: () => void;
  readonly onReceipt: (id: string) => void;
  readonly onSession: (id: string) => void;
}) => {
  const { text, tone } = STATUSES[line.status];
  const id = `details-${line.id}`;
  return (
    <>
      <tr>
        <td class="nowrap">
          <button
            type="button"
            class="link"
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={onToggle}
          >
            {shortTime(line.at)}
          </button>
        </td>
        <td>
          <Badge tone={tone}>{text}</Badge>{' '}
          {line.code === undefined ? null : <span class="mono fine">{line.code}</span>}
        </td>
        <td>{line.modelId ?? ''}</td>
        <td class="roomy">{line.key === undefined ? 'Console' : (line.key.name ?? line.key.id)}</td>
        <td class="nowrap roomy">{measure(line)}</td>
        <td class="number nowrap roomy">{duration(line.ms)}</td>
        <td class="number">{money(line.costMicro)}</td>
      </tr>
      {isOpen ? (
        <tr id={id} class="opened">
          <td colSpan={columns}>
            <RequestDetails line={line} onReceipt={onReceipt} onSession={onSession} />
          </td>
        </tr>
      ) : null}
    </>
  );
};

/** All listed calls of one session in a line, with the cost of the whole session so far. */
const SessionLine = ({
  session,
  lines,
  isOpen,
  onToggle,
}: {
  readonly session: NonNullable<Request['session']>;
  readonly lines: readonly Request[];
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) => {
  const models = new Set(lines.flatMap(({ modelId }) => modelId ?? []));
  const { key } = lines[0]!;
  return (
    <tr>
      <td class="nowrap">
        <button type="button" class="link" aria-expanded={isOpen} onClick={onToggle}>
          {shortTime(lines[0]!.at)}
        </button>
      </td>
      <td>
        <Badge tone="calm">session</Badge>{' '}
        <span class="fine">{count(session.calls ?? lines.length, 'call')}</span>
      </td>
      <td>{[...models].join(', ')}</td>
      <td class="roomy">{key === undefined ? 'Console' : (key.name ?? key.id)}</td>
      <td class="roomy">
        {session.calls === undefined || session.calls > lines.length ? `${lines.length} listed` : ''}
      </td>
      <td class="roomy" />
      <td class="number">{session.costMicro === undefined ? '' : money(session.costMicro)}</td>
    </tr>
  );
};

/** The lines in their order. Lines of the same session are together, in the place of the newest. */
const groupsOf = (lines: readonly Request[]): readonly (readonly Request[])[] => {
  const groups = new Map<string, Request[]>();
  for (const line of lines) {
    const name = line.session?.id ?? line.id;
    groups.set(name, [...(groups.get(name) ?? []), line]);
  }
  return [...groups.values()];
};

const HEAD = [
  'When',
  'Status',
  'Model',
  { text: 'Key', roomy: true },
  { text: 'Used', roomy: true },
  { text: 'Took', numeric: true, roomy: true },
  { text: 'Cost', numeric: true },
] as const;

interface Found {
  readonly requests: readonly Request[];
  readonly nextCursor: string | null;
  readonly lookedBackTo: string | null;
}

const List = ({ query }: { readonly query: Query }) => {
  const [address, setAddress] = useAddress();
  const [open, setOpen] = useState<string>();
  const [sessions, setSessions] = useState<readonly string[]>([]);
  const first = useLoaded(
    (signal) => call('get', REQUESTS, { query: { ...query }, signal }),
    [JSON.stringify(query)],
  );
  const [rest, setRest] = useState<{ readonly of: Found; readonly found: Found }>();
  const newest = rest !== undefined && rest.of === first.data ? rest.found : undefined;
  const { nextCursor = null, lookedBackTo = null } = newest ?? first.data ?? {};
  const lines = [...(first.data?.requests ?? []), ...(newest?.requests ?? [])];
  const more = useAction(async () => {
    const page = await call('get', REQUESTS, { query: { ...query, cursor: nextCursor ?? undefined } });
    setRest({
      of: first.data!,
      found: { ...page, requests: [...(newest?.requests ?? []), ...page.requests] },
    });
  });
  const receipt = address.get('receipt');
  return (
    <>
      <Problem error={first.error ?? more.error} />
      {query.session === undefined ? null : (
        <p class="row" role="status">
          <span>
            Only calls of the session <span class="mono">{query.session}</span>
            {lines[0]?.session === undefined ? '' : sumsOf(lines[0].session)}.
          </span>
          <button type="button" class="small" onClick={() => setAddress({ session: undefined })}>
            All calls
          </button>
        </p>
      )}
      {first.data === undefined ? (
        first.error === undefined && <Loading rows={8} />
      ) : lines.length === 0 ? (
        <Empty title={nextCursor === null ? 'No calls match' : 'No calls match so far'}>
          <p>Calls of your keys and of the studio are listed here, with their errors and their cost.</p>
        </Empty>
      ) : (
        <Table caption="Requests" class="log" head={HEAD}>
          {groupsOf(lines).flatMap((group) => {
            const { session } = group[0]!;
            const isGroup =
              session !== undefined && (session.calls ?? group.length) > 1 && query.session === undefined;
            const name = session?.id ?? '';
            const calls = group.map((line) => (
              <Line
                key={line.id}
                line={line}
                columns={HEAD.length}
                isOpen={open === line.id}
                onToggle={() => setOpen(open === line.id ? undefined : line.id)}
                onReceipt={(id) => setAddress({ receipt: id }, 'push')}
                onSession={(id) => setAddress({ session: id }, 'push')}
              />
            ));
            if (!isGroup) return calls;
            const isOpen = sessions.includes(name);
            const head = (
              <SessionLine
                key={name}
                session={session}
                lines={group}
                isOpen={isOpen}
                onToggle={() =>
                  setSessions(isOpen ? sessions.filter((one) => one !== name) : [...sessions, name])
                }
              />
            );
            return isOpen ? [head, ...calls] : [head];
          })}
        </Table>
      )}
      {nextCursor === null ? null : (
        <div class="row">
          <button type="button" disabled={more.running} onClick={() => void more.run()}>
            Show older ones
          </button>
          <span class="soft fine">
            {lookedBackTo === null ? '' : `Searched back to ${time(lookedBackTo)}.`}
          </span>
        </div>
      )}
      {receipt === null ? null : <Receipt id={receipt} onClose={() => setAddress({ receipt: undefined })} />}
    </>
  );
};

const Requests = () => {
  const [address, setAddress] = useAddress();
  const [now, setNow] = useState(() => Date.now());
  const query = queryIn(address, now);
  const change: Change = (changes) => {
    setNow(Date.now());
    setAddress(changes);
  };
  return (
    <>
      <div class="head">
        <div>
          <h1>Requests</h1>
          <p>
            Every paid call, refused and failed ones included. Prompts and results are not part of the log.
          </p>
        </div>
        <div class="row">
          <button type="button" class="small" onClick={() => setNow(Date.now())}>
            Reload
          </button>
          <Export
            text="Export CSV"
            save={() => download(`${REQUESTS}.csv`, 'lamppost-requests.csv', { query: { ...query } })}
          />
        </div>
      </div>
      <ActivityTabs at="account/requests" />
      <section class="card stack" aria-label="Filters and calls over time">
        <Filters query={query} hours={address.get('hours') ?? '24'} change={change} />
        <Histogram query={query} change={change} />
      </section>
      <section class="card stack" aria-labelledby="calls">
        <h2 id="calls">Calls</h2>
        <List query={query} />
      </section>
    </>
  );
};

show(<Requests />, { wide: true });
