import { useState } from 'preact/hooks';

import { call } from '../parts/api.ts';
import { paramOf } from './proof.tsx';
import { show } from '../parts/shell.tsx';
import { Form, Problem, TextInput } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

/** The token is behind `#`, because browsers never send that part to a server. */
const token = location.hash.slice(1);

const Reset = () => {
  const [passkeys, setPasskeys] = useState<number>();
  const reset = useAction(async ({ password = '' }: Readonly<Record<string, string>>) => {
    const answer = await call('post', '/v1/account/password/reset', { body: { token, password } });
    history.replaceState(null, '', location.pathname);
    setPasskeys(answer.passkeys);
  });
  const isAboutPassword = paramOf(reset.error) === 'password';
  return (
    <div class="entrance stack">
      <h1>Set a new password</h1>
      {passkeys === undefined ? null : (
        <div class="card stack" role="status">
          <p class="notice good">Your new password is set, and you are signed out everywhere.</p>
          {passkeys === 0 ? null : (
            <p>
              {passkeys === 1
                ? 'A passkey of your account stays'
                : `${passkeys} passkeys of your account stay`}{' '}
              valid. Remove any that you do not know on the account page.
            </p>
          )}
          <p>
            <a href="account/sign-in?next=account">Sign in</a>
          </p>
        </div>
      )}
      {token === '' ? (
        <p class="notice bad">
          This link is incomplete. Open all of it, or <a href="account/forgot">ask for a new one</a>.
        </p>
      ) : null}
      {token === '' || passkeys !== undefined ? null : (
        <Form class="card" onSend={reset.run}>
          <TextInput
            label="New password"
            name="password"
            type="password"
            required
            minLength={10}
            maxLength={200}
            autoComplete="new-password"
            hint="At least 10 characters, and not a common password. It signs you out everywhere."
            error={isAboutPassword ? reset.error?.message : undefined}
          />
          <Problem error={isAboutPassword ? undefined : reset.error} />
          <button class="primary" disabled={reset.running}>
            Set it
          </button>
        </Form>
      )}
    </div>
  );
};

show(<Reset />);
