import { useState } from 'preact/hooks';

import { call } from '../parts/api.ts';
import { canUsePasskeys, signInByPasskey } from './passkey.ts';
import { CodeInput, codeOf, paramOf, proofIn } from './proof.tsx';
import { Form, Problem, TextInput } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

const PASSWORD_MIN = 10;

/** The page to open after the sign-in. It is always a page of this service, even if the address names another site. */
const nextPage = (): string => {
  const wanted = new URLSearchParams(location.search).get('next') ?? '';
  const url = new URL(wanted === '' ? 'account/keys' : wanted, document.baseURI);
  // A redirect keeps the part behind `#`, for example the token of a mailed link.
  if (url.hash === '') url.hash = location.hash;
  return url.href.startsWith(document.baseURI) ? url.href : document.baseURI;
};

/** The form for sign-in and sign-up. */
export const Entrance = ({ isNew }: { readonly isNew: boolean }) => {
  const [needsCode, setNeedsCode] = useState(false);
  const enter = useAction(async (fields: Readonly<Record<string, string>>) => {
    const body = { email: (fields['email'] ?? '').trim(), ...proofIn(fields) };
    try {
      await call('post', isNew ? '/v1/account/register' : '/v1/account/sign-in', { body });
    } catch (error) {
      if (codeOf(error as Error) === 'SECOND_FACTOR_REQUIRED') setNeedsCode(true);
      throw error;
    }
    location.assign(nextPage());
  });
  const byPasskey = useAction(async () => {
    await signInByPasskey();
    location.assign(nextPage());
  });
  const { error } = enter;
  const param = paramOf(error);
  const other = isNew ? 'account/sign-in' : 'account/sign-up';
  return (
    <div class="entrance stack">
      <h1>{isNew ? 'Make an account' : 'Sign in'}</h1>
      <p class="soft">
        {isNew
          ? 'It holds your credits and your keys. Nothing else is asked for.'
          : 'To your keys, your credits and the studio.'}
      </p>
      <Form class="card" onSend={enter.run}>
        <TextInput
          label="Email"
          name="email"
          type="email"
          required
          autoComplete="username"
          error={param === 'email' ? error?.message : undefined}
        />
        <TextInput
          label="Password"
          name="password"
          type="password"
          required
          minLength={isNew ? PASSWORD_MIN : 1}
          maxLength={200}
          autoComplete={isNew ? 'new-password' : 'current-password'}
          hint={isNew ? `At least ${PASSWORD_MIN} characters; a sentence is best.` : undefined}
          error={param === 'password' ? error?.message : undefined}
        />
        {needsCode ? <CodeInput error={error} focus /> : null}
        <Problem error={param === undefined ? error : undefined} />
        <button class="primary" disabled={enter.running}>
          {isNew ? 'Sign up' : 'Sign in'}
        </button>
        {isNew || !canUsePasskeys() ? null : (
          <>
            <button type="button" disabled={byPasskey.running} onClick={() => void byPasskey.run()}>
              Use a passkey
            </button>
            <Problem error={byPasskey.error} />
          </>
        )}
      </Form>
      {isNew ? null : (
        <p class="soft">
          <a href="account/forgot">Forgotten password?</a>
        </p>
      )}
      <p class="soft">
        {isNew ? 'You have one already? ' : 'You are new here? '}
        <a href={`${other}${location.search}${location.hash}`}>{isNew ? 'Sign in' : 'Make an account'}</a>
      </p>
    </div>
  );
};
