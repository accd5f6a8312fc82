import { useState } from 'preact/hooks';
import { allKeys } from '../all-keys.ts';

import { Alerts } from '../alerts.tsx';
import { Allowed } from '../allowed.tsx';
import { ApiError, type Schemas, call } from '../api.ts';
import { ago, count, date, microOf, money, time } from '../format.ts';
import { Limits, refusals } from '../key-limits.tsx';
import { MONEY_MOVES, useLooksAgain } from '../live.ts';
import { actingFor } from '../organisation.ts';
import { NewSecret } from '../new-secret.tsx';
import { facts, show } from '../shell.tsx';
import { Badge, Code, Confirm, Dialog, Empty, Field, Form, Loading, Problem, TextInput } from '../ui.tsx';
import { useAction, useLoaded } from '../use.ts';

type Key = Schemas['KeyAnswer'];
type NewKey = Schemas['NewKeyAnswer'];

const TONES = { active: 'good', disabled: 'calm', expired: 'bad' } as const;
const EXPIRIES = [
  { value: '30', text: '30 days' },
  { value: '90', text: '90 days' },
  { value: '365', text: '1 year' },
  { value: 'never', text: 'Never' },
];

/** The only moment in which the key is visible. */
const Shown = ({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) => (
  <Dialog title="Your new key" onClose={onClose}>
    <p>
      Copy <strong>{made.name}</strong> now and keep it in a safe place: it is never shown again.
    </p>
    <Code text={made.key} what="the key" />
    <p class="soft">Try it:</p>
    <Code text={`curl ${facts.publicUrl}/v1/agent/balance -H 'x-api-key: ${made.key}'`} what="a first call" />
    <div class="actions">
      <button type="button" class="primary" onClick={onClose}>
        I have it
      </button>
    </div>
  </Dialog>
);

const Make = ({
  onMade,
  onClose,
}: {
  readonly onMade: (made: NewKey) => void;
  readonly onClose: () => void;
}) => {
  const [limitProblem, setLimitProblem] = useState<string>();
  const make = useAction(async (fields: Readonly<Record<string, string>>) => {
    const { name = '', expiry = '', limit: typed = '' } = fields;
    const limit = typed.trim() === '' ? undefined : (microOf(typed) ?? 0);
    setLimitProblem(limit === 0 ? 'An amount in dollars, such as 25 or 0.50.' : undefined);
    if (limit === 0) return;
    onMade(
      await call('post', '/v1/account/keys', {
        body: {
          name: name.trim(),
          expiresInDays: expiry === 'never' ? null : (Number(expiry) as 30),
          spendLimitMicro: limit,
        },
      }),
    );
  });
  const param = make.error instanceof ApiError ? make.error.param : undefined;
  return (
    <Dialog title="New key" onClose={onClose}>
      <Form onSend={make.run}>
        <TextInput
          label="Name"
          name="name"
          required
          maxLength={100}
          placeholder="my agent"
          autoComplete="off"
          error={param === 'name' ? make.error?.message : undefined}
        />
        <Field label="Expires">
          {(ids) => (
            <select {...ids} name="expiry">
              {EXPIRIES.map(({ value, text }) => (
                <option key={value} value={value} selected={value === '90'}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
        <TextInput
          label="Spend limit in USD"
          name="limit"
          inputMode="decimal"
          placeholder="none"
          autoComplete="off"
          hint="What the key may spend in any 30 days. Leave it empty for no limit."
          error={limitProblem ?? (param === 'spendLimitMicro' ? make.error?.message : undefined)}
        />
        <Problem error={param === undefined ? make.error : undefined} />
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="primary" disabled={make.running}>
            Make the key
          </button>
        </div>
      </Form>
    </Dialog>
  );
};

const Spent = ({ micro, limit }: { readonly micro: number; readonly limit: number | undefined }) => (
  <>
    <span class="number">{money(micro)}</span>
    {limit === undefined ? null : (
      <>
        <span class="soft"> of {money(limit)}</span>
        <progress aria-label={`Spent ${money(micro)} of ${money(limit)}`} max={limit} value={micro} />
      </>
    )}
  </>
);

/** The spending of a key: of its whole life where it was delegated, otherwise of 30 days. */
const Spending = ({ line }: { readonly line: Key }) =>
  line.depth > 0 ? (
    <div>
      <dt>Spent</dt>
      <dd>
        <Spent micro={line.spentMicro} limit={line.spendLimits.totalMicro} />
      </dd>
    </div>
  ) : (
    <div>
      <dt>Spent in 30 days</dt>
      <dd>
        <Spent micro={line.spend30dMicro} limit={line.spendLimitMicro ?? undefined} />
      </dd>
    </div>
  );

/** While both secrets work: users of the old one must be found before it ends. */
const Exchange = ({ previous }: { readonly previous: NonNullable<Key['previousSecret']> }) => (
  <p class="soft across">
    The old secret works until {time(previous.worksUntil)}. Last used since the change: the old one{' '}
    {previous.lastUsedAt === null ? 'never' : ago(previous.lastUsedAt)}, the new one{' '}
    {previous.newLastUsedAt === null ? 'never' : ago(previous.newLastUsedAt)}.
  </p>
);

interface Below {
  readonly line: Key;
  /** Addresses of members by their ids, where there are several. */
  readonly makers: ReadonlyMap<string, string>;
  readonly all: readonly Key[];
  readonly onChange: () => void;
  readonly onMade: (made: NewKey) => void;
}

/** A key with its delegated keys, as a tree. */
const Line = ({ line, makers, all, onChange, onMade }: Below) => {
  const [asking, setAsking] = useState(false);
  const [changing, setChanging] = useState<'limits' | 'secret'>();
  const below = all.filter(({ parentId }) => parentId === line.id);
  const refused = refusals(line.scopes);
  const turn = useAction(async () => {
    await call('patch', '/v1/account/keys/{id}', { at: { id: line.id }, body: { enabled: !line.enabled } });
    onChange();
  });
  const remove = useAction(async () => {
    await call('delete', '/v1/account/keys/{id}', { at: { id: line.id } });
    setAsking(false);
    onChange();
  });
  return (
    <li class="card key">
      <div>
        <h2>{line.name}</h2>
        <p class="soft mono">{line.prefix}…</p>
      </div>
      <Badge tone={TONES[line.state]}>{line.state}</Badge>
      <dl class="facts">
        <Spending line={line} />
        {line.reserveLeftMicro === undefined ? null : (
          <div>
            <dt>Set aside</dt>
            <dd class="number">{money(line.reserveLeftMicro)}</dd>
          </div>
        )}
        <div>
          <dt>Requests</dt>
          <dd>{count(line.requestCount, 'call')}</dd>
        </div>
        <div>
          <dt>Last used</dt>
          <dd>
            {line.lastUsedAt === null ? (
              'never'
            ) : (
              <time dateTime={line.lastUsedAt} title={time(line.lastUsedAt)}>
                {ago(line.lastUsedAt)}
              </time>
            )}
          </dd>
        </div>
        <div>
          <dt>Expires</dt>
          <dd>{line.expiresAt === null ? 'never' : date(line.expiresAt)}</dd>
        </div>
        {makers.size < 2 || line.depth > 0 ? null : (
          <div>
            <dt>Made by</dt>
            <dd class="breaks">{makers.get(line.madeBy ?? '') ?? 'a former member'}</dd>
          </div>
        )}
      </dl>
      {refused.length === 0 ? null : <p class="soft across">Refused: {refused.join('; ')}.</p>}
      {line.previousSecret === undefined ? null : <Exchange previous={line.previousSecret} />}
      <Allowed to="PATCH /v1/account/keys/:id">
        <div class="row">
          {line.state === 'expired' ? null : (
            <>
              <button
                type="button"
                class="small"
                aria-label={`Limits of ${line.name}`}
                onClick={() => setChanging('limits')}
              >
                Limits
              </button>
              <button
                type="button"
                class="small"
                aria-label={`New secret for ${line.name}`}
                onClick={() => setChanging('secret')}
              >
                New secret
              </button>
            </>
          )}
          {line.state === 'expired' ? null : (
            <button
              type="button"
              class="small"
              aria-label={`${line.enabled ? 'Disable' : 'Enable'} ${line.name}`}
              disabled={turn.running}
              onClick={() => void turn.run()}
            >
              {line.enabled ? 'Disable' : 'Enable'}
            </button>
          )}
          <button
            type="button"
            class="small danger"
            aria-label={`Delete ${line.name}`}
            onClick={() => setAsking(true)}
          >
            Delete
          </button>
        </div>
      </Allowed>
      <Problem error={turn.error} />
      {asking ? (
        <Confirm
          title={`Delete ${line.name}?`}
          action="Delete the key"
          running={remove.running}
          error={remove.error}
          onYes={() => void remove.run()}
          onNo={() => setAsking(false)}
        >
          <p>
            Whatever uses it{below.length === 0 ? '' : ', and whatever it was handed on to,'} is refused from
            this moment on. This can't be undone.
          </p>
        </Confirm>
      ) : null}
      {changing === 'limits' ? (
        <Limits
          line={line}
          onClose={() => setChanging(undefined)}
          onDone={() => {
            setChanging(undefined);
            onChange();
          }}
        />
      ) : null}
      {changing === 'secret' ? (
        <NewSecret
          title={`A new secret for ${line.name}`}
          label="The old secret works for"
          atOnce="The keys that it has handed on end, too."
          onClose={() => setChanging(undefined)}
          make={async (overlapSeconds) => {
            const at = { id: line.id };
            onMade(await call('post', '/v1/account/keys/{id}/rotate', { at, body: { overlapSeconds } }));
            setChanging(undefined);
            onChange();
          }}
        >
          The key stays what it is; only what it is called by changes. This page says when each was last used.
        </NewSecret>
      ) : null}
      {below.length === 0 ? null : (
        <ul class="plain stack tree" aria-label={`Handed on by ${line.name}`}>
          {below.map((one) => (
            <Line key={one.id} line={one} makers={makers} all={all} onChange={onChange} onMade={onMade} />
          ))}
        </ul>
      )}
    </li>
  );
};

/** The members who can have created the shown keys. */
const useMakers = (): ReadonlyMap<string, string> => {
  const { data } = useLoaded(
    async (signal) =>
      actingFor === undefined
        ? []
        : (await call('get', '/v1/account/organisations/{org}/members', { at: { org: actingFor }, signal }))
            .members,
    [],
  );
  return new Map(data?.map(({ id, email }) => [id, email]));
};

const Keys = () => {
  const { data, error, reload } = useLoaded((signal) => allKeys(signal), []);
  useLooksAgain([...MONEY_MOVES, 'key.limit_near', 'key.expiring'], reload);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<NewKey>();
  const makers = useMakers();
  return (
    <>
      <div class="head">
        <div>
          <h1>Keys</h1>
          <p>A key acts for your account and spends its credits. Give each agent its own, with a limit.</p>
        </div>
        <Allowed to="POST /v1/account/keys">
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            New key
          </button>
        </Allowed>
      </div>
      <Problem error={error} />
      <Alerts types={['key.limit_near', 'key.expiring']} />
      {data === undefined && error === undefined ? <Loading /> : null}
      {data?.keys.length === 0 ? (
        <div class="card">
          <Empty title="No keys yet">
            <Allowed to="POST /v1/account/keys">
              <p>Make one, and call the API with it as x-api-key.</p>
            </Allowed>
          </Empty>
        </div>
      ) : null}
      <ul class="plain stack">
        {data?.keys
          .filter(({ parentId }) => parentId === undefined || !data.keys.some(({ id }) => id === parentId))
          .map((line) => (
            <Line
              key={line.id}
              line={line}
              makers={makers}
              all={data.keys}
              onChange={reload}
              onMade={setMade}
            />
          ))}
      </ul>
      {making ? (
        <Make
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false);
            setMade(key);
            reload();
          }}
        />
      ) : null}
      {made === undefined ? null : <Shown made={made} onClose={() => setMade(undefined)} />}
    </>
  );
};

show(<Keys />);
