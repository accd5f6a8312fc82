import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { Accounts } from './accounts.tsx';
import { Channels } from './channels.tsx';
import { Margins } from './margins.tsx';
import { Models } from './models.tsx';
import { Payments } from './payments.tsx';
import { Revenue } from './revenue.tsx';
import { Routes } from './routes.tsx';
import { Sales } from './sales.tsx';
import { SearchBox, useSearch } from './search.tsx';
import { AdminSection } from './section.tsx';
import { adminCall, adminToken } from './operator-token.ts';
import { ApiError } from '../parts/api.ts';
import { money, time } from '../parts/format.ts';
import { Pages } from '../parts/pages-of.tsx';
import { show } from '../parts/shell.tsx';
import { Badge, Empty, Form, Loading, Problem, Select, Table, TextInput } from '../parts/ui.tsx';
import { useAction, useAddress, useLoaded } from '../parts/use.ts';

const STATES = ['held', 'settling', 'charged', 'refunded', 'released'] as const;
const JOB_STATUSES = ['running', 'done', 'failed'] as const;
const TONES: Readonly<Record<string, 'good' | 'bad' | 'busy' | 'calm'>> = {
  held: 'busy',
  settling: 'busy',
  charged: 'good',
  refunded: 'calm',
  released: 'calm',
  running: 'busy',
  done: 'good',
  failed: 'bad',
};

const filterOf = (words: readonly string[]) => [
  { value: '', text: 'all' },
  ...words.map((word) => ({ value: word, text: word })),
];

const Drift = () => (
  <AdminSection id="drift" title="The books" load={() => adminCall('get', '/v1/admin/drift')}>
    {({ now }) => {
      const { bills = 0, ...books } = now.driftMicro;
      const isBalanced = Object.values(books).every((micro) => micro === 0);
      return (
        <>
          <p class={`notice ${isBalanced ? 'good' : 'bad'}`}>
            {isBalanced
              ? `They balance${bills === 0 ? ': the drift is 0' : ''}.`
              : 'They do not balance. Stop taking money, and read docs/operations/incidents.md.'}
          </p>
          {bills === 0 ? null : (
            <p class="notice">
              Vendors billed {money(bills)} more than the charges of a day. Read “A vendor bills more” in
              docs/operations/incidents.md.
            </p>
          )}
          <Table caption="Drift" head={['Ledger', { text: 'Drift', numeric: true }]}>
            {Object.entries(now.driftMicro).map(([ledger, micro]) => (
              <tr key={ledger}>
                <th scope="row">{ledger}</th>
                <td class="number">{money(micro)}</td>
              </tr>
            ))}
          </Table>
          <p class="hint">Read {time(now.at)}</p>
        </>
      );
    }}
  </AdminSection>
);

const QUEUE_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

const Queues = () => (
  <AdminSection id="queues" title="Queues" load={() => adminCall('get', '/v1/admin/queues')}>
    {({ queues, failures }) => (
      <>
        <Table
          caption="Queue depths"
          head={['Queue', ...QUEUE_STATES.map((state) => ({ text: state, numeric: true }) as const)]}
        >
          {Object.entries(queues).map(([name, depths]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {QUEUE_STATES.map((state) => (
                <td key={state} class="number">
                  {state === 'failed' && (depths[state] ?? 0) > 0 ? (
                    <Badge tone="bad">{String(depths[state])}</Badge>
                  ) : (
                    (depths[state] ?? 0)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </Table>
        {failures.length === 0 ? null : (
          <>
            <h3>Recent failures</h3>
            <p class="hint">A scheduled job that failed is not repeated: its next run does the work.</p>
            <Table caption="Failures of queues" head={['When', 'Queue', 'Job', 'Reason']}>
              {failures.map(({ queue, job, at, reason }) => (
                <tr key={`${queue} ${job} ${at}`}>
                  <th scope="row" class="nowrap">
                    {time(at)}
                  </th>
                  <td>{queue}</td>
                  <td>{job}</td>
                  <td class="mono">{reason}</td>
                </tr>
              ))}
            </Table>
          </>
        )}
      </>
    )}
  </AdminSection>
);

const Overview = () => (
  <>
    <Revenue />
    <Drift />
    <Queues />
  </>
);

const AccountList = () => (
  <section class="card stack" aria-labelledby="accounts">
    <h2 id="accounts">Accounts</h2>
    <Accounts />
  </section>
);

/** A list under its heading, with its filter. */
const Filtered = ({
  title,
  label,
  words,
  value,
  onChoose,
  children,
}: {
  readonly title: string;
  readonly label: string;
  readonly words: readonly string[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly children: ComponentChildren;
}) => (
  <section class="card stack" aria-labelledby={title.toLowerCase()}>
    <div class="row apart">
      <h2 id={title.toLowerCase()}>{title}</h2>
      <Select label={label} choices={filterOf(words)} value={value} onChoose={onChoose} />
    </div>
    {children}
  </section>
);

const Charges = () => {
  const [address, setAddress] = useAddress();
  const state = address.get('state') ?? '';
  const search = useSearch();
  return (
    <Filtered
      title="Charges"
      label="State"
      words={STATES}
      value={state}
      onChoose={(value) => setAddress({ state: value })}
    >
      <SearchBox
        label="Find charges"
        hint="The id of a charge, a job or a key, or a payer: an account or a wallet."
      />
      <Pages
        title="Charges, newest first"
        empty="No such charges"
        turn={`${state} ${search}`}
        head={['Made', 'State', 'For', 'Rail', 'Payer', { text: 'Price', numeric: true }]}
        load={async (cursor) => {
          const { charges, nextCursor } = await adminCall('get', '/v1/admin/charges', {
            query: { state, cursor, search: search || undefined },
          });
          return { lines: charges, nextCursor };
        }}
        line={(charge) => (
          <tr key={charge.id}>
            <th scope="row" class="nowrap">
              {time(charge.createdAt)} <span class="mono soft">{charge.id}</span>
            </th>
            <td>
              <Badge tone={TONES[charge.state] ?? 'calm'}>{charge.state}</Badge>
            </td>
            <td>{charge.modelId ?? charge.operation}</td>
            <td>{charge.rail}</td>
            <td class="mono">{charge.payer}</td>
            <td class="number">{money(charge.priceMicro)}</td>
          </tr>
        )}
      />
    </Filtered>
  );
};

const Jobs = () => {
  const [address, setAddress] = useAddress();
  const status = address.get('status') ?? '';
  const { data, error } = useLoaded(
    () => adminCall('get', '/v1/admin/jobs', { query: { status, limit: 200 } }),
    [status],
  );
  return (
    <Filtered
      title="Jobs"
      label="Status"
      words={JOB_STATUSES}
      value={status}
      onChoose={(value) => setAddress({ status: value })}
    >
      <Problem error={error} />
      {data === undefined ? error === undefined && <Loading /> : null}
      {data?.jobs.length === 0 ? <Empty title="No such jobs" /> : null}
      {data === undefined || data.jobs.length === 0 ? null : (
        <Table caption="Newest jobs" head={['Made', 'Status', 'Model', 'Money', 'What is wrong']}>
          {data.jobs.map((job) => (
            <tr key={job.id}>
              <th scope="row" class="nowrap">
                {time(job.createdAt)} <span class="mono soft">{job.id}</span>
              </th>
              <td>
                <Badge tone={TONES[job.status] ?? 'calm'}>{job.status}</Badge>
              </td>
              <td>{job.modelId}</td>
              <td>{job.chargeState}</td>
              <td>{job.error ?? ''}</td>
            </tr>
          ))}
        </Table>
      )}
    </Filtered>
  );
};

const Audit = () => (
  <section class="card stack" aria-labelledby="audit">
    <h2 id="audit">Audit</h2>
    <Pages
      title="Actions of operators"
      empty="No actions yet"
      head={['When', 'Who', 'Action', 'About', { text: 'Amount', numeric: true }, 'Reason', 'From']}
      load={async (cursor) => {
        const { entries, nextCursor } = await adminCall('get', '/v1/admin/audit', { query: { cursor } });
        return { lines: entries, nextCursor };
      }}
      line={(entry) => (
        <tr key={entry.id}>
          <th scope="row" class="nowrap">
            {time(entry.createdAt)}
          </th>
          <td>{entry.operator ?? ''}</td>
          <td>{entry.action}</td>
          <td class="mono">{entry.accountId ?? entry.subject ?? ''}</td>
          <td class="number">{entry.amountMicro === undefined ? '' : money(entry.amountMicro)}</td>
          <td>{entry.reason ?? ''}</td>
          <td class="mono">{entry.ip}</td>
        </tr>
      )}
    />
  </section>
);

const VIEWS = [
  { id: 'overview', name: 'Overview', View: Overview },
  { id: 'accounts', name: 'Accounts', View: AccountList },
  { id: 'payments', name: 'Payments', View: Payments },
  { id: 'sales', name: 'Sales', View: Sales },
  { id: 'models', name: 'Models', View: Models },
  { id: 'margins', name: 'Margins', View: Margins },
  { id: 'routes', name: 'Routes', View: Routes },
  { id: 'channels', name: 'Channels', View: Channels },
  { id: 'charges', name: 'Charges', View: Charges },
  { id: 'jobs', name: 'Jobs', View: Jobs },
  { id: 'audit', name: 'Audit', View: Audit },
];

const TokenForm = ({ onOpen }: { readonly onOpen: () => void }) => {
  const enter = useAction(async ({ token = '' }: Readonly<Record<string, string>>) => {
    adminToken.keep(token.trim());
    try {
      await adminCall('get', '/v1/admin/queues');
    } catch (error) {
      adminToken.forget();
      throw error instanceof ApiError && error.status === 401
        ? new Error('This is not the token of an operator.')
        : error;
    }
    onOpen();
  });
  return (
    <div class="entrance stack">
      <h1>Operators</h1>
      <p class="soft">
        An operator's token (ADMIN_TOKEN, ADMIN_TOKENS) opens this page, for as long as the tab is open.
      </p>
      <Form class="card" onSend={enter.run}>
        <TextInput label="Admin token" name="token" type="password" required autoComplete="off" />
        <Problem error={enter.error} />
        <button class="primary" disabled={enter.running}>
          Open
        </button>
      </Form>
    </div>
  );
};

const Admin = () => {
  const [address, setAddress] = useAddress();
  const [isOpen, setIsOpen] = useState(adminToken.read() !== null);
  if (!isOpen) return <TokenForm onOpen={() => setIsOpen(true)} />;
  const shown = VIEWS.find(({ id }) => id === address.get('view')) ?? VIEWS[0]!;
  return (
    <>
      <div class="head">
        <h1>Operators</h1>
        <button
          type="button"
          onClick={() => {
            adminToken.forget();
            setIsOpen(false);
          }}
        >
          Forget the token
        </button>
      </div>
      <div class="tabs">
        {VIEWS.map(({ id, name }) => (
          <button
            type="button"
            key={id}
            aria-pressed={id === shown.id}
            onClick={() =>
              setAddress({ view: id, state: undefined, status: undefined, search: undefined }, 'push')
            }
          >
            {name}
          </button>
        ))}
      </div>
      <shown.View />
    </>
  );
};

show(<Admin />, { wide: true });
