import { ApiError, call } from './api.ts';
import { Form, Problem, TextInput } from './ui.tsx';
import { useAction } from './use.ts';

const PASSWORD_MIN = 10;

/** The next page: always one of the console, whatever the address says. */
const nextPage = (): string => {
  const wanted = new URLSearchParams(location.search).get('next') ?? '';
  const url = new URL(wanted === '' ? 'account/keys' : wanted, document.baseURI);
  return url.href.startsWith(document.baseURI) ? url.href : document.baseURI;
};

/** The sign-in form, which is also the sign-up form. */
export const Entrance = ({ isNew }: { readonly isNew: boolean }) => {
  const enter = useAction(async ({ email = '', password = '' }: Readonly<Record<string, string>>) => {
    const body = { email: email.trim(), password };
    await call('post', isNew ? '/v1/account/register' : '/v1/account/sign-in', { body });
    location.assign(nextPage());
  });
  const { error } = enter;
  const param = error instanceof ApiError ? error.param : undefined;
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
        <Problem error={param === undefined ? error : undefined} />
        <button class="primary" disabled={enter.running}>
          {isNew ? 'Sign up' : 'Sign in'}
        </button>
      </Form>
      <p class="soft">
        {isNew ? 'You have one already? ' : 'You are new here? '}
        <a href={`${other}${location.search}`}>{isNew ? 'Sign in' : 'Make an account'}</a>
      </p>
    </div>
  );
};
