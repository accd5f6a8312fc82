import { useState } from 'preact/hooks';

import { AddressProof } from './address-proof.tsx';
import { type Schemas, call } from '../parts/api.ts';
import { CloseAccount } from './close-account.tsx';
import { date, time } from '../parts/format.ts';
import { Passkeys } from './passkeys.tsx';
import { CodeInput, paramOf } from './proof.tsx';
import { SecondFactor } from './second-factor.tsx';
import { show } from '../parts/shell.tsx';
import { Badge, Form, Loading, Problem, TextInput } from '../parts/ui.tsx';
import { useAction, useLoaded } from '../parts/use.ts';

const Password = ({ hasCode }: { readonly hasCode: boolean }) => {
  const [done, setDone] = useState(false);
  const change = useAction(async (fields: Readonly<Record<string, string>>, form: HTMLFormElement) => {
    setDone(false);
    const { current = '', next = '', code } = fields;
    await call('post', '/v1/account/password', { body: { current, next, code } });
    form.reset();
    setDone(true);
  });
  return (
    <section class="card stack" aria-labelledby="password">
      <h2 id="password">Change the password</h2>
      <Form onSend={change.run}>
        <TextInput
          label="Password now"
          name="current"
          type="password"
          required
          maxLength={200}
          autoComplete="current-password"
          error={paramOf(change.error) === 'current' ? change.error?.message : undefined}
        />
        <TextInput
          label="New password"
          name="next"
          type="password"
          required
          minLength={10}
          maxLength={200}
          autoComplete="new-password"
          hint="At least 10 characters, and not a common password. It signs you out on all other devices."
        />
        {hasCode ? <CodeInput error={change.error} /> : null}
        <Problem
          error={['current', 'code'].includes(paramOf(change.error) ?? '') ? undefined : change.error}
        />
        <div role="status">{done ? <p class="notice good">Your password is changed.</p> : null}</div>
        <div class="actions">
          <button class="primary" disabled={change.running}>
            Change it
          </button>
        </div>
      </Form>
    </section>
  );
};

/** The names of the browser and its system, from its `User-Agent`. */
const deviceName = (device: string | undefined): string => {
  if (device === undefined) return 'An unknown browser';
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(device)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(device)?.[1];
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser ?? ''] ?? browser;
  return name === undefined ? device : `${name}${system === undefined ? '' : ` on ${system}`}`;
};

const Session = ({
  session: { id, device, createdAt, expiresAt, current },
  onEnd,
}: {
  readonly session: Schemas['SessionAnswer'];
  readonly onEnd: () => void;
}) => {
  const end = useAction(async () => {
    await call('delete', '/v1/account/sessions/{id}', { at: { id } });
    onEnd();
  });
  return (
    <li class="row apart">
      <div>
        <p class="strong breaks">{deviceName(device)}</p>
        <p class="soft">
          Since {time(createdAt)}, until {date(expiresAt)}
        </p>
        <Problem error={end.error} />
      </div>
      {current ? (
        <Badge tone="good">this browser</Badge>
      ) : (
        <button
          type="button"
          class="small danger"
          aria-label={`Sign out: ${deviceName(device)}, since ${time(createdAt)}`}
          disabled={end.running}
          onClick={() => void end.run()}
        >
          Sign out
        </button>
      )}
    </li>
  );
};

const Sessions = () => {
  const { data, error, reload } = useLoaded((signal) => call('get', '/v1/account/sessions', { signal }), []);
  return (
    <section class="card stack" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <Problem error={error} />
      {data === undefined ? error === undefined && <Loading rows={2} /> : null}
      <ul class="plain stack" aria-label="Sessions">
        {data?.sessions.map((session) => (
          <Session key={session.id} session={session} onEnd={reload} />
        ))}
      </ul>
    </section>
  );
};

/**
 * The sign-in settings and the closing of the account. They are in one component, because both depend on the second
 * factor.
 */
const Security = () => {
  const { data, error, reload } = useLoaded((signal) => call('get', '/v1/account/security', { signal }), []);
  if (data === undefined) return error === undefined ? <Loading rows={4} /> : <Problem error={error} />;
  const hasCode = data.secondFactor.on;
  return (
    <>
      <Password hasCode={hasCode} />
      <SecondFactor state={data.secondFactor} onChange={reload} />
      <Passkeys
        passkeys={data.passkeys}
        arePossible={data.passkeysPossible}
        hasCode={hasCode}
        onChange={reload}
      />
      <Sessions />
      <CloseAccount hasCode={hasCode} />
    </>
  );
};

const AccountPage = () => {
  const { data, error, reload } = useLoaded(() => call('get', '/v1/account'), []);
  return (
    <>
      <div class="head">
        <h1>Account</h1>
      </div>
      <Problem error={error} />
      {data === undefined ? null : (
        <AddressProof email={data.email} proofDue={data.proofDue} onProven={reload} />
      )}
      <section class="card" aria-label="Your account">
        {data === undefined ? (
          error === undefined && <Loading rows={2} />
        ) : (
          <dl class="row apart">
            <div>
              <dt class="hint">Email</dt>
              <dd class="strong">{data.email}</dd>
            </div>
            <div>
              <dt class="hint">Since</dt>
              <dd class="strong">{date(data.createdAt)}</dd>
            </div>
            <div>
              <dt class="hint">Id</dt>
              <dd class="mono breaks">{data.id}</dd>
            </div>
          </dl>
        )}
      </section>
      <Security />
    </>
  );
};

show(<AccountPage />);
