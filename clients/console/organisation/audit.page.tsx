import { type Schemas, call, download, save } from '../parts/api.ts';
import { time } from '../parts/format.ts';
import { Pages } from '../parts/pages-of.tsx';
import { show } from '../parts/shell.tsx';
import { Export, Loading, Problem, Select } from '../parts/ui.tsx';
import { useAddress, useLoaded } from '../parts/use.ts';

type Entry = Schemas['AuditEntryAnswer'];
type Action = Entry['action'];

const PAGE = 200;
const AUDIT = '/v1/account/organisations/{org}/audit';

/** The actions that the page can filter by, with their labels. */
const ACTIONS: Readonly<Record<Action, string>> = {
  'organisation.made': 'organisation made',
  'organisation.renamed': 'organisation renamed',
  'organisation.closed': 'organisation deleted',
  'invite.made': 'invited',
  'invite.withdrawn': 'invite withdrawn',
  'member.joined': 'joined',
  'member.changed': 'role changed',
  'member.budget': 'budget changed',
  'member.removed': 'removed',
  'member.left': 'left',
  'key.made': 'key made',
  'key.changed': 'key changed',
  'key.rotated': 'new secret of a key',
  'key.deleted': 'key deleted',
  'alerts.changed': 'alerts changed',
  'top_up.opened': 'checkout opened',
  'address.changed': 'billing address changed',
  'auto_top_up.changed': 'automatic top-ups changed',
  'card.opened': 'card page opened',
  'card.removed': 'card removed',
  'webhook.made': 'webhook made',
  'webhook.changed': 'webhook changed',
  'webhook.rotated': 'new secret of a webhook',
  'webhook.deleted': 'webhook deleted',
  'reference.stored': 'reference stored',
  'reference.deleted': 'reference deleted',
  'job.cancelled': 'job cancelled',
};

const isAction = (text: string | null): text is Action => text !== null && text in ACTIONS;

interface Filter {
  readonly action?: Action;
  readonly member?: string;
}

/** All matching entries, page by page. */
const allOf = async (org: string, filter: Filter): Promise<readonly Entry[]> => {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = await call('get', AUDIT, { at: { org }, query: { ...filter, limit: PAGE, cursor } });
    entries.push(...page.entries);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return entries;
};

const Line = ({ entry: { at, who, text, ip } }: { readonly entry: Entry }) => (
  <tr>
    <td class="nowrap">{time(at)}</td>
    <td class="nowrap">{who.email ?? who.id}</td>
    <td class="words">{text}</td>
    <td class="mono">{ip}</td>
  </tr>
);

const Audit = ({ org }: { readonly org: string }) => {
  const [address, setAddress] = useAddress();
  const wanted = address.get('action');
  const action = isAction(wanted) ? wanted : undefined;
  const member = address.get('member') ?? undefined;
  const filter: Filter = { action, member };
  const members = useLoaded(
    (signal) => call('get', '/v1/account/organisations/{org}/members', { at: { org }, signal }),
    [],
  );
  return (
    <section class="card stack" aria-label="Audit entries">
      <div class="row apart">
        <div class="row">
          <Select
            label="What"
            choices={[
              { value: '', text: 'All' },
              ...Object.entries(ACTIONS).map(([value, text]) => ({ value, text })),
            ]}
            value={action ?? ''}
            onChoose={(value) => setAddress({ action: value })}
          />
          <Select
            label="Who"
            choices={[
              { value: '', text: 'Everybody' },
              ...(members.data?.members ?? []).map(({ id, email }) => ({ value: id, text: email })),
            ]}
            value={member ?? ''}
            onChoose={(value) => setAddress({ member: value })}
          />
        </div>
        <div class="row">
          <Export
            text="Export CSV"
            save={() => download(`${AUDIT}.csv`, 'lamppost-audit.csv', { at: { org }, query: { ...filter } })}
          />
          <Export
            text="Export JSON"
            save={async () => {
              const text = JSON.stringify(await allOf(org, filter), null, 2);
              save(new Blob([text], { type: 'application/json' }), 'lamppost-audit.json');
            }}
          />
        </div>
      </div>
      <Problem error={members.error} />
      <Pages
        title="Audit"
        empty="No matching entries"
        turn={`${action} ${member}`}
        head={['When', 'Who', 'What', 'From']}
        load={async (cursor) => {
          const page = await call('get', AUDIT, { at: { org }, query: { ...filter, cursor } });
          return { lines: page.entries, nextCursor: page.nextCursor };
        }}
        line={(entry) => <Line key={entry.id} entry={entry} />}
      />
    </section>
  );
};

const AuditPage = () => {
  const { data, error } = useLoaded((signal) => call('get', '/v1/account', { signal }), []);
  return (
    <>
      <div class="head">
        <div>
          <h1>Audit</h1>
          <p>The actions of members in their sessions. Requests and jobs show the calls of keys.</p>
        </div>
        <a class="button" href="account/organisation">
          Members
        </a>
      </div>
      <Problem error={error} />
      {data === undefined ? (
        error === undefined && <Loading rows={5} />
      ) : (
        <Audit org={data.organisation.id} />
      )}
    </>
  );
};

show(<AuditPage />);
