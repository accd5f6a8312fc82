import { allKeys } from '../parts/all-keys.ts';
import type { Schemas } from '../parts/api.ts';
import { ago, count, date, money, time } from '../parts/format.ts';
import { KeyButtons } from './key-buttons.tsx';
import { MONEY_MOVES, useReloadAfter } from '../parts/live-events.ts';
import { facts, show } from '../parts/shell.tsx';
import { Badge, Code, Empty, Loading, Problem } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

type Key = Schemas['KeyAnswer'];
type App = NonNullable<Key['app']>;
type Connection = Key & { readonly app: App };

const STATES = {
  active: { tone: 'good', text: 'connected' },
  disabled: { tone: 'calm', text: 'paused' },
  expired: { tone: 'bad', text: 'expired' },
} as const;

const WORDS = { off: 'Pause', on: 'Resume', end: 'Disconnect', confirm: 'Disconnect' } as const;

const isConnection = (key: Key): key is Connection => key.app !== undefined;

const Line = ({ line, onChange }: { readonly line: Connection; readonly onChange: () => void }) => {
  const { app, spentMicro, lastUsedAt, expiresAt, requestCount } = line;
  const { tone, text } = STATES[line.state];
  const limit = line.spendLimits.totalMicro;
  return (
    <li class="card key" id={line.id}>
      <div>
        <h2>{app.name}</h2>
        <p class="soft breaks">{app.host}</p>
      </div>
      <Badge tone={tone}>{text}</Badge>
      <dl class="facts">
        <div>
          <dt>Spent</dt>
          <dd>
            <span class="number">{money(spentMicro)}</span>
            {limit === undefined ? null : (
              <>
                <span class="soft"> of {money(limit)}</span>
                <progress
                  aria-label={`Spent ${money(spentMicro)} of ${money(limit)}`}
                  max={limit}
                  value={spentMicro}
                />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Requests</dt>
          <dd>{count(requestCount, 'call')}</dd>
        </div>
        <div>
          <dt>Last used</dt>
          <dd>
            {lastUsedAt === null ? (
              'never'
            ) : (
              <time dateTime={lastUsedAt} title={time(lastUsedAt)}>
                {ago(lastUsedAt)}
              </time>
            )}
          </dd>
        </div>
        <div>
          <dt>{line.state === 'expired' ? 'Ended' : 'Ends'}</dt>
          <dd>{expiresAt === null ? 'never' : date(expiresAt)}</dd>
        </div>
      </dl>
      <KeyButtons
        line={line}
        name={app.name}
        words={WORDS}
        question="Each call of this app is refused from this moment on. To use it again, connect it again."
        onChange={onChange}
      />
    </li>
  );
};

const Connections = () => {
  const { data, error, reload } = useLoaded(
    async (signal) => (await allKeys(signal)).keys.filter(isConnection),
    [],
  );
  useReloadAfter(MONEY_MOVES, reload);
  return (
    <>
      <div class="head">
        <div>
          <h1>Connections</h1>
          <p>
            Apps that you have connected. Each spends the credits of your account, up to its own limit. Its{' '}
            <a href="account/keys">key</a> has the same limit.
          </p>
        </div>
      </div>
      <Problem error={error} />
      {data === undefined && error === undefined ? <Loading /> : null}
      {data?.length === 0 ? (
        <div class="card">
          <Empty title="No apps yet">
            <p>Give this address to claude.ai, ChatGPT, Cursor or another app that has connectors:</p>
            <Code text={`${facts.publicUrl}/mcp`} what="the address" />
          </Empty>
        </div>
      ) : null}
      <ul class="plain stack">
        {data?.map((line) => (
          <Line key={line.id} line={line} onChange={reload} />
        ))}
      </ul>
    </>
  );
};

show(<Connections />);
