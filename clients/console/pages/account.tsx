import { useState } from 'preact/hooks';

import { call } from '../api.ts';
import { date } from '../format.ts';
import { show } from '../shell.tsx';
import { Form, Loading, Problem, TextInput } from '../ui.tsx';
import { useAction, useLoaded } from '../use.ts';

const Password = () => {
  const [done, setDone] = useState(false);
  const change = useAction(async (fields: Readonly<Record<string, string>>, form: HTMLFormElement) => {
    setDone(false);
    const { current = '', next = '' } = fields;
    await call('post', '/v1/account/password', { body: { current, next } });
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
        />
        <TextInput
          label="New password"
          name="next"
          type="password"
          required
          minLength={10}
          maxLength={200}
          autoComplete="new-password"
          hint="At least 10 characters. All other sessions end."
        />
        <Problem error={change.error} />
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

const AccountPage = () => {
  const { data, error } = useLoaded(() => call('get', '/v1/account'), []);
  return (
    <>
      <div class="head">
        <h1>Account</h1>
      </div>
      <Problem error={error} />
      <section class="card" aria-label="Your account">
        {data === undefined ? (
          error === undefined && <Loading rows={2} />
        ) : (
          <dl class="grid">
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
              <dd class="mono">{data.id}</dd>
            </div>
          </dl>
        )}
      </section>
      <Password />
    </>
  );
};

show(<AccountPage />);
