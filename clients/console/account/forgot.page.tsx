import { useState } from 'preact/hooks';

import { call } from '../parts/api.ts';
import { paramOf } from './proof.tsx';
import { show } from '../parts/shell.tsx';
import { Form, Problem, TextInput } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

const Forgot = () => {
  const [done, setDone] = useState(false);
  const ask = useAction(async ({ email = '' }: Readonly<Record<string, string>>) => {
    setDone(false);
    await call('post', '/v1/account/password/forgot', { body: { email: email.trim() } });
    setDone(true);
  });
  const isAboutEmail = paramOf(ask.error) === 'email';
  return (
    <div class="entrance stack">
      <h1>Forgotten password</h1>
      <p class="soft">We mail you a link to set a new password.</p>
      <Form class="card" onSend={ask.run}>
        <TextInput
          label="Email"
          name="email"
          type="email"
          required
          autoComplete="username"
          error={isAboutEmail ? ask.error?.message : undefined}
        />
        <Problem error={isAboutEmail ? undefined : ask.error} />
        <div role="status">
          {done ? (
            <p class="notice good">
              If this address has an account, a mail is on its way. Its link works once, for an hour.
            </p>
          ) : null}
        </div>
        <button class="primary" disabled={ask.running}>
          Send the link
        </button>
      </Form>
      <p class="soft">
        You remember it? <a href="account/sign-in">Sign in</a>
      </p>
    </div>
  );
};

show(<Forgot />);
