import { useEffect, useState } from 'preact/hooks';

import { AgentKeyForm, AgentKeyShown } from './agent-key.tsx';
import { ProofDue } from '../account/address-proof.tsx';
import { allKeys } from '../parts/all-keys.ts';
import { Alerts } from '../billing/alerts.tsx';
import { Allowed } from '../parts/allowed.tsx';
import { type Schemas, call } from '../parts/api.ts';
import { ago, count, date, money, time } from '../parts/format.ts';
import { FirstSteps, loadSteps } from '../start/first-steps.tsx';
import { KeyButtons } from './key-buttons.tsx';
import { KeyForm, refusals } from './key-form.tsx';
import { MONEY_MOVES, useReloadAfter } from '../parts/live-events.ts';
import { actingFor } from '../parts/organisation.ts';
import { NewSecret } from '../parts/new-secret.tsx';
import { facts, show } from '../parts/shell.tsx';
import { Badge, Code, Dialog, Empty, Loading, Problem } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

type Key = Schemas['KeyAnswer'];
type NewKey = Schemas['NewKeyAnswer'];

const WORDS = { off: 'Disable', on: 'Enable', end: 'Delete', confirm: 'Delete the key' } as const;

const TONES = { active: 'good', disabled: 'calm', expired: 'bad' } as const;
/** Shows the new key. No other page can show it. */
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

/** The spending of a key: of its whole life if it is a delegated key, otherwise of the last 30 days. */
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

/** The spending of thirty days, with a bar for each day. */
const Days = ({ name, days }: { readonly name: string; readonly days: readonly number[] }) => {
  const most = Math.max(...days, 1);
  const sum = days.reduce((all, day) => all + day, 0);
  return (
    <svg
      class="days across"
      viewBox={`0 0 ${days.length * 6} 28`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${name}, the last ${days.length} days: ${money(sum)}, at most ${money(Math.max(...days, 0))} a day`}
    >
      {days.map((spent, at) => {
        const tall = spent === 0 ? 1 : Math.max(3, (spent / most) * 28);
        const back = days.length - 1 - at;
        return (
          <rect
            key={at}
            class={spent === 0 ? 'trough' : 'bar-shape'}
            x={at * 6}
            y={28 - tall}
            width={4}
            height={tall}
          >
            <title>{`${back === 0 ? 'Today' : `${count(back, 'day')} ago`}: ${money(spent)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
};

/** All limits on the spending, in words. */
const Allowance = ({ line }: { readonly line: Key }) => {
  const { dayMicro, monthMicro, totalMicro } = line.spendLimits;
  const limits = [
    { text: 'in any 30 days', limit: line.spendLimitMicro },
    { text: 'a day', limit: dayMicro },
    { text: 'a month', limit: monthMicro },
    { text: 'ever', limit: totalMicro },
  ].flatMap(({ text, limit }) => (limit === null || limit === undefined ? [] : [`${money(limit)} ${text}`]));
  return (
    <div>
      <dt>Limits</dt>
      <dd>{limits.length === 0 ? 'none' : limits.join(', ')}</dd>
    </div>
  );
};

/**
 * While both secrets work, this shows their last uses, so that the owner can find users of the old secret before it
 * ends.
 */
const Exchange = ({ previous }: { readonly previous: NonNullable<Key['previousSecret']> }) => (
  <p class="soft across">
    The old secret works until {time(previous.worksUntil)}. Last used since the change: the old one{' '}
    {previous.lastUsedAt === null ? 'never' : ago(previous.lastUsedAt)}, the new one{' '}
    {previous.newLastUsedAt === null ? 'never' : ago(previous.newLastUsedAt)}.
  </p>
);

interface Below {
  readonly line: Key;
  /** The e-mail addresses of members by their ids, if there are several members. */
  readonly makers: ReadonlyMap<string, string>;
  readonly all: readonly Key[];
  readonly onChange: () => void;
  readonly onMade: (made: NewKey) => void;
}

/** A key with its delegated keys, as a tree. */
const Line = ({ line, makers, all, onChange, onMade }: Below) => {
  const [changing, setChanging] = useState<'limits' | 'secret'>();
  const below = all.filter(({ parentId }) => parentId === line.id);
  const refused = refusals(line.scopes);
  return (
    <li class="card key" id={line.id}>
      <div>
        <h2>{line.name}</h2>
        {line.app === undefined ? (
          <p class="soft mono">{line.prefix}…</p>
        ) : (
          <p class="soft breaks">
            <a href="account/connections">Connected app</a> of {line.app.host}
          </p>
        )}
      </div>
      <Badge tone={TONES[line.state]}>{line.state}</Badge>
      <dl class="facts">
        <Spending line={line} />
        <Allowance line={line} />
        {line.state === 'active' ? (
          <div>
            <dt>Can still spend today</dt>
            <dd class="number" title="With the keys below it, from the balance of now and within all limits">
              {money(line.mayLoseTodayMicro)}
            </dd>
          </div>
        ) : null}
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
      <Days name={line.name} days={line.days} />
      {refused.length === 0 ? null : <p class="soft across">Refused: {refused.join('; ')}.</p>}
      {line.previousSecret === undefined ? null : <Exchange previous={line.previousSecret} />}
      <KeyButtons
        line={line}
        name={line.name}
        words={WORDS}
        question={`Each call with it${below.length === 0 ? '' : ', or with a key below it,'} is refused from this moment on. This can't be undone.`}
        more={
          <>
            <button
              type="button"
              class="small"
              aria-label={`Limits of ${line.name}`}
              onClick={() => setChanging('limits')}
            >
              Limits
            </button>
            {line.app === undefined ? (
              <button
                type="button"
                class="small"
                aria-label={`New secret for ${line.name}`}
                onClick={() => setChanging('secret')}
              >
                New secret
              </button>
            ) : null}
          </>
        }
        onChange={onChange}
      />
      {changing === 'limits' ? (
        <KeyForm
          line={line}
          onClose={() => setChanging(undefined)}
          onMade={onMade}
          onChanged={() => {
            setChanging(undefined);
            onChange();
          }}
        />
      ) : null}
      {changing === 'secret' ? (
        <NewSecret
          title={`A new secret for ${line.name}`}
          label="The old secret works for"
          atOnce="The keys below it end, too."
          onClose={() => setChanging(undefined)}
          make={async (overlapSeconds) => {
            const at = { id: line.id };
            onMade(await call('post', '/v1/account/keys/{id}/rotate', { at, body: { overlapSeconds } }));
            setChanging(undefined);
            onChange();
          }}
        >
          Only the secret changes. The key keeps its limits, its scopes and its history. This page says when
          each was last used.
        </NewSecret>
      ) : null}
      {below.length === 0 ? null : (
        <ul class="plain stack tree" aria-label={`Delegated by ${line.name}`}>
          {below.map((one) => (
            <Line key={one.id} line={one} makers={makers} all={all} onChange={onChange} onMade={onMade} />
          ))}
        </ul>
      )}
    </li>
  );
};

/** Loads the members who may have created the shown keys. */
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
  const { data, error, reload } = useLoaded(async (signal) => {
    const { keys } = await allKeys(signal);
    // If the list of first steps can't be loaded, the keys are still shown.
    return { keys, steps: await loadSteps(keys, signal).catch(() => []) };
  }, []);
  useReloadAfter([...MONEY_MOVES, 'key.limit_near', 'key.expiring'], reload);
  const [making, setMaking] = useState<'key' | 'agent'>();
  const [made, setMade] = useState<NewKey>();
  const [madeForAgent, setMadeForAgent] = useState<NewKey>();
  // The address of the page may name a key, for example in a link of the search.
  useEffect(() => {
    if (data !== undefined)
      document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }, [data === undefined]);
  const makers = useMakers();
  return (
    <>
      <div class="head">
        <div>
          <h1>Keys</h1>
          <p>
            A key acts for your account and spends its credits. Give each agent its own, with a limit. Apps
            that sign in are your <a href="account/connections">connections</a>.
          </p>
        </div>
        <Allowed to="POST /v1/account/keys">
          <div class="row">
            <button type="button" onClick={() => setMaking('agent')}>
              Key for a coding agent
            </button>
            <button type="button" class="primary" onClick={() => setMaking('key')}>
              New key
            </button>
          </div>
        </Allowed>
      </div>
      <ProofDue />
      <Problem error={error} />
      <Alerts types={['key.limit_near', 'key.expiring']} />
      {data === undefined && error === undefined ? <Loading /> : null}
      {data === undefined ? null : <FirstSteps steps={data.steps} />}
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
      {making === 'agent' ? (
        <AgentKeyForm
          onClose={() => setMaking(undefined)}
          onMade={(key) => {
            setMaking(undefined);
            setMadeForAgent(key);
            reload();
          }}
        />
      ) : null}
      {madeForAgent === undefined ? null : (
        <AgentKeyShown made={madeForAgent} onClose={() => setMadeForAgent(undefined)} />
      )}
      {making === 'key' ? (
        <KeyForm
          onClose={() => setMaking(undefined)}
          onChanged={reload}
          onMade={(key) => {
            setMaking(undefined);
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
