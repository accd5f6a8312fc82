import { useState } from 'preact/hooks';

import { Allowed, useAccount } from '../parts/allowed.tsx';
import { type Schemas, call } from '../parts/api.ts';
import { date, time } from '../parts/format.ts';
import { EVENT_TYPES, useReloadAfter } from '../parts/live-events.ts';
import { Pages } from '../parts/pages-of.tsx';
import { NewSecret } from '../parts/new-secret.tsx';
import { SignatureCheck } from './signature-check.tsx';
import { Tries } from './webhook-tries.tsx';
import { show } from '../parts/shell.tsx';
import {
  Badge,
  Code,
  Confirm,
  Dialog,
  Empty,
  FormDialog,
  Loading,
  Problem,
  Select,
  TextInput,
} from '../parts/ui.tsx';
import { useAction, useAddress, useLoaded } from '../parts/use.ts';

type Webhook = Schemas['WebhookAnswer'];
type WithSecret = Schemas['WebhookWithSecretAnswer'];
type Delivery = Schemas['WebhookDeliveryAnswer'];
type Tested = Schemas['WebhookTestAnswer'];

const WHY_DISABLED: Readonly<Record<string, string>> = {
  owner: 'You have disabled it.',
  failing: 'It failed for 24 hours.',
  gone: 'It answered 410: it is gone.',
};

const TONES = { pending: 'busy', delivered: 'good', failed: 'bad' } as const;

/** Shows the new secret. No other page can show it. */
const Secret = ({ made, onClose }: { readonly made: WithSecret; readonly onClose: () => void }) => (
  <Dialog title="Its secret" onClose={onClose}>
    <p>
      Messages to <span class="mono breaks">{made.url}</span> are signed with it. Copy it now and keep it in a
      safe place: it is never shown again.
    </p>
    <Code text={made.secret} what="the secret" />
    <p class="soft">
      They follow Standard Webhooks: any of its libraries verifies them, and the{' '}
      <a href="v1/agent/guide.md">guide</a> says how.
    </p>
    <div class="actions">
      <button type="button" class="primary" onClick={onClose}>
        I have it
      </button>
    </div>
  </Dialog>
);

/** Events of the money of the whole organisation. Developers never receive them. */
const OF_OWNER: readonly string[] = ['balance.topped_up', 'top_up.failed', 'balance.low', 'spend.high'];

const useOffered = (): readonly string[] => {
  const isDeveloper = useAccount().data?.organisation.role === 'developer';
  return isDeveloper ? EVENT_TYPES.filter((type) => !OF_OWNER.includes(type)) : EVENT_TYPES;
};

/** The address and the event types, for a new endpoint and for a changed one. */
const Write = ({
  title,
  action,
  first,
  onSend,
  onClose,
}: {
  readonly title: string;
  readonly action: string;
  readonly first?: Webhook;
  readonly onSend: (url: string, types: readonly string[] | undefined) => Promise<void>;
  readonly onClose: () => void;
}) => {
  const offered = useOffered();
  const [wanted, setTypes] = useState<readonly string[]>(first?.types ?? EVENT_TYPES);
  const types = offered.filter((type) => wanted.includes(type));
  const write = ({ url = '' }: Readonly<Record<string, string>>): Promise<void> => {
    const all = types.length === offered.length;
    return onSend(url.trim(), all && first === undefined ? undefined : types);
  };
  const turn = (type: string, on: boolean): void =>
    setTypes((before) => EVENT_TYPES.filter((each) => (each === type ? on : before.includes(each))));
  return (
    <FormDialog title={title} action={action} onSend={write} onClose={onClose}>
      <TextInput
        label="Address"
        name="url"
        type="url"
        required
        maxLength={2_048}
        placeholder="https://example.com/hooks/lamppost"
        autoComplete="off"
        defaultValue={first?.url}
        hint="Public, and https."
      />
      <fieldset>
        <legend>Events</legend>
        <div class="row">
          <button type="button" class="small" onClick={() => setTypes(EVENT_TYPES)}>
            All
          </button>
          <button type="button" class="small" onClick={() => setTypes([])}>
            None
          </button>
        </div>
        <div class="choices">
          {offered.map((type) => (
            <label class="check" key={type}>
              <input
                type="checkbox"
                checked={types.includes(type)}
                onChange={(event) => turn(type, event.currentTarget.checked)}
              />
              <span class="mono">{type}</span>
            </label>
          ))}
        </div>
      </fieldset>
    </FormDialog>
  );
};

const Rotate = ({
  webhook: { id },
  onMade,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onMade: (made: WithSecret) => void;
  readonly onClose: () => void;
}) => (
  <NewSecret
    title="A new secret"
    label="The old one signs on for"
    onClose={onClose}
    make={async (overlapSeconds) =>
      onMade(await call('post', '/v1/agent/webhooks/{id}/rotate', { at: { id }, body: { overlapSeconds } }))
    }
  >
    Until the old one ends, messages are signed with both, so that nothing is refused meanwhile.
  </NewSecret>
);

const answerOf = ({ delivered, status, error }: Tested): string =>
  status === undefined
    ? `There was no answer: ${error ?? 'nobody knows why'}.`
    : `It answered ${status}${delivered ? ', which is fine.' : '; it should answer 200 to 299.'}`;

type Asking = 'change' | 'rotate' | 'delete';

const Endpoint = ({
  webhook,
  isOpen,
  onChange,
  onOpen,
  onSecret,
  onTested,
}: {
  readonly webhook: Webhook;
  readonly isOpen: boolean;
  readonly onChange: () => void;
  readonly onOpen: () => void;
  readonly onSecret: (made: WithSecret) => void;
  readonly onTested: () => void;
}) => {
  const { id, url, types, enabled, disabledReason = '', failingSince, createdAt } = webhook;
  const at = { id };
  const [asking, setAsking] = useState<Asking>();
  const [tested, setTested] = useState<Tested>();
  const done = (): void => {
    setAsking(undefined);
    onChange();
  };
  const turn = useAction(async () => {
    await call('patch', '/v1/agent/webhooks/{id}', { at, body: { enabled: !enabled } });
    onChange();
  });
  const test = useAction(async () => {
    setTested(undefined);
    setTested(await call('post', '/v1/agent/webhooks/{id}/test', { at }));
    onTested();
  });
  const remove = useAction(async () => {
    await call('delete', '/v1/agent/webhooks/{id}', { at });
    done();
  });
  const doing = (
    what: string,
  ): { readonly type: 'button'; readonly class: string; 'aria-label': string } => ({
    type: 'button',
    class: 'small',
    'aria-label': `${what}: ${url}`,
  });
  return (
    <li class="card key">
      <div>
        <h2 class="mono breaks">{url}</h2>
        <p class="soft">Since {date(createdAt)}</p>
      </div>
      <Badge tone={!enabled ? 'calm' : failingSince === undefined ? 'good' : 'bad'}>
        {!enabled ? 'disabled' : failingSince === undefined ? 'enabled' : 'failing'}
      </Badge>
      <dl class="facts">
        <div>
          <dt>Events</dt>
          <dd>{types.length === EVENT_TYPES.length ? 'all' : types.join(', ')}</dd>
        </div>
        {enabled ? null : (
          <div>
            <dt>Disabled</dt>
            <dd>{WHY_DISABLED[disabledReason] ?? 'It gets nothing.'}</dd>
          </div>
        )}
        {failingSince === undefined ? null : (
          <div>
            <dt>Failing since</dt>
            <dd>{time(failingSince)}</dd>
          </div>
        )}
      </dl>
      <div class="row">
        <button {...doing('Deliveries')} aria-pressed={isOpen} onClick={onOpen}>
          Deliveries
        </button>
        <Allowed to="change /v1/agent">
          <button {...doing('Send a test')} disabled={test.running} onClick={() => void test.run()}>
            {test.running ? 'Sending…' : 'Send a test'}
          </button>
          <button {...doing('Change')} onClick={() => setAsking('change')}>
            Change
          </button>
          <button {...doing('New secret')} onClick={() => setAsking('rotate')}>
            New secret
          </button>
          <button
            {...doing(enabled ? 'Disable' : 'Enable')}
            disabled={turn.running}
            onClick={() => void turn.run()}
          >
            {enabled ? 'Disable' : 'Enable'}
          </button>
          <button {...doing('Delete')} class="small danger" onClick={() => setAsking('delete')}>
            Delete
          </button>
        </Allowed>
      </div>
      <div role="status">
        {tested === undefined ? null : (
          <p class={tested.delivered ? 'notice good' : 'notice bad'}>{answerOf(tested)}</p>
        )}
      </div>
      <Problem error={turn.error ?? test.error} />
      {asking === 'change' ? (
        <Write
          title="Change the endpoint"
          action="Change it"
          first={webhook}
          onClose={() => setAsking(undefined)}
          onSend={async (to, wanted) => {
            const body = { ...(to === url ? {} : { url: to }), types: wanted as Webhook['types'] as never };
            await call('patch', '/v1/agent/webhooks/{id}', { at, body });
            done();
          }}
        />
      ) : null}
      {asking === 'rotate' ? (
        <Rotate
          webhook={webhook}
          onClose={() => setAsking(undefined)}
          onMade={(made) => {
            done();
            onSecret(made);
          }}
        />
      ) : null}
      {asking === 'delete' ? (
        <Confirm
          title="Delete the endpoint?"
          action="Delete it"
          running={remove.running}
          error={remove.error}
          onYes={() => void remove.run()}
          onNo={() => setAsking(undefined)}
        >
          <p>
            <span class="mono breaks">{url}</span> receives no more events, and waiting deliveries are not
            sent.
          </p>
        </Confirm>
      ) : null}
    </li>
  );
};

const Line = ({
  endpoint,
  line: { eventId, type, state, tries, lastStatus, lastError, createdAt, nextTryAt },
  isOpen,
  onOpen,
  onAgain,
}: {
  readonly endpoint: string;
  readonly line: Delivery;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onAgain: () => void;
}) => {
  const replay = useAction(async () => {
    const at = { id: endpoint, eventId };
    await call('post', '/v1/agent/webhooks/{id}/deliveries/{eventId}/replay', { at });
    onAgain();
  });
  return (
    <tr>
      <td class="nowrap">{time(createdAt)}</td>
      <td class="mono">
        <button type="button" class="link" aria-expanded={isOpen} onClick={onOpen}>
          {type}
        </button>
      </td>
      <td>
        <Badge tone={TONES[state]}>{state}</Badge>
      </td>
      <td class="number">{tries}</td>
      <td>
        {lastStatus ?? lastError ?? ''}
        {nextTryAt === undefined ? '' : ` Next: ${time(nextTryAt)}`}
      </td>
      <td>
        <Allowed to="change /v1/agent">
          <button
            type="button"
            class="small quiet"
            aria-label={`Send again: ${type} of ${time(createdAt)}`}
            disabled={replay.running}
            onClick={() => void replay.run()}
          >
            Send again
          </button>
        </Allowed>
        <Problem error={replay.error} />
      </td>
    </tr>
  );
};

/**
 * The earliest next try of all waiting deliveries. A waiting delivery without a time is being sent, so it counts as due
 * now.
 */
const nextTry = (lines: readonly Delivery[]): number | undefined => {
  const times = lines.flatMap(({ state, nextTryAt }) =>
    state === 'pending' ? [nextTryAt === undefined ? Date.now() : Date.parse(nextTryAt)] : [],
  );
  return times.length === 0 ? undefined : Math.min(...times);
};

const Deliveries = ({ webhook, tests }: { readonly webhook: Webhook; readonly tests: number }) => {
  const [address, setAddress] = useAddress();
  const state = address.get('state') ?? '';
  const eventId = address.get('event') ?? undefined;
  const [replays, setReplays] = useState(0);
  return (
    <section class="card stack" aria-labelledby="deliveries">
      <div class="row apart">
        <div>
          <h2 id="deliveries">Deliveries</h2>
          <p class="soft mono breaks">{webhook.url}</p>
        </div>
        <Select
          label="State"
          choices={[
            { value: '', text: 'All' },
            ...Object.keys(TONES).map((value) => ({ value, text: value })),
          ]}
          value={state}
          onChoose={(value) => setAddress({ state: value })}
        />
      </div>
      <Pages
        title="Deliveries"
        empty="Nothing was sent yet"
        turn={`${webhook.id} ${state} ${replays}`}
        live={EVENT_TYPES}
        due={nextTry}
        head={['When', 'Event', 'State', { text: 'Tries', numeric: true }, 'Answer', 'Again']}
        load={async (cursor) => {
          const page = await call('get', '/v1/agent/webhooks/{id}/deliveries', {
            at: { id: webhook.id },
            query: { state, cursor },
          });
          return { lines: page.deliveries, nextCursor: page.nextCursor ?? null };
        }}
        line={(line) => (
          <Line
            key={line.eventId}
            endpoint={webhook.id}
            line={line}
            isOpen={line.eventId === eventId}
            onOpen={() => setAddress({ event: line.eventId === eventId ? undefined : line.eventId })}
            onAgain={() => setReplays((before) => before + 1)}
          />
        )}
      />
      <Tries
        key={webhook.id}
        endpoint={webhook.id}
        eventId={eventId}
        turn={`${replays} ${tests}`}
        onAll={() => setAddress({ event: undefined })}
      />
    </section>
  );
};

const Webhooks = () => {
  const [address, setAddress] = useAddress();
  const { data, error, reload } = useLoaded((signal) => call('get', '/v1/agent/webhooks', { signal }), []);
  useReloadAfter(['webhook.disabled'], reload);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<WithSecret>();
  const [tests, setTests] = useState(0);
  const open = data?.webhooks.find(({ id }) => id === address.get('endpoint'));
  return (
    <>
      <div class="head">
        <div>
          <h1>Webhooks</h1>
          <p>
            Your server receives a signed request when a job ends or money moves. It is sent again until your
            server accepts it.
          </p>
        </div>
        <Allowed to="change /v1/agent">
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            New endpoint
          </button>
        </Allowed>
      </div>
      <Problem error={error} />
      {data === undefined && error === undefined ? <Loading /> : null}
      {data?.webhooks.length === 0 ? (
        <div class="card">
          <Empty title="No endpoints yet">
            <Allowed to="change /v1/agent">
              <p>Enter an https address of yours, and choose its events.</p>
            </Allowed>
          </Empty>
        </div>
      ) : null}
      <ul class="plain stack">
        {data?.webhooks.map((webhook) => (
          <Endpoint
            key={webhook.id}
            webhook={webhook}
            isOpen={webhook === open}
            onChange={reload}
            onSecret={setMade}
            onTested={() => setTests((before) => before + 1)}
            onOpen={() =>
              setAddress(
                { endpoint: webhook === open ? undefined : webhook.id, state: '', event: '' },
                'push',
              )
            }
          />
        ))}
      </ul>
      {open === undefined ? null : <Deliveries webhook={open} tests={tests} />}
      <SignatureCheck />
      {making ? (
        <Write
          title="New endpoint"
          action="Add it"
          onClose={() => setMaking(false)}
          onSend={async (url, types) => {
            const body = { url, types: types as Webhook['types'] as never };
            const added = await call('post', '/v1/agent/webhooks', { body });
            setMaking(false);
            setMade(added);
            reload();
          }}
        />
      ) : null}
      {made === undefined ? null : <Secret made={made} onClose={() => setMade(undefined)} />}
    </>
  );
};

show(<Webhooks />);
