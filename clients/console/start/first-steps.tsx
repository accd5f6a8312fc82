import { useState } from 'preact/hooks';

import { askAccount } from '../parts/allowed.tsx';
import { type Schemas, call } from '../parts/api.ts';

const HIDDEN = 'first-steps-hidden';

/** A first step of a new account. The records of the account show whether it is done. */
interface Step {
  readonly isDone: boolean;
  readonly text: string;
  readonly href: string;
}

/** Loads the first steps, with those that the account has done. */
export const loadSteps = async (
  keys: readonly Schemas['KeyAnswer'][],
  signal: AbortSignal,
): Promise<readonly Step[]> => {
  const one = { query: { limit: 1 }, signal };
  const [account, moves, calls] = await Promise.all([
    askAccount(),
    call('get', '/v1/account/billing/transactions', one),
    call('get', '/v1/account/requests', { query: { limit: 1, status: 'ok' }, signal }),
  ]);
  return [
    { isDone: true, text: 'Make an account', href: 'account' },
    {
      isDone: account.balanceMicro > 0 || moves.transactions.length > 0,
      text: 'Add credits',
      href: 'account/billing',
    },
    { isDone: calls.requests.length > 0, text: 'Send a first call in the playground', href: 'playground' },
    { isDone: keys.length > 0, text: 'Make a key for your program', href: 'account/keys' },
    {
      isDone: keys.some(({ requestCount }) => requestCount > 0),
      text: 'Call the API with the key',
      href: 'guides/first-call',
    },
  ];
};

/** The list disappears when all steps are done, or when the person hides it. */
export const FirstSteps = ({ steps }: { readonly steps: readonly Step[] }) => {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(HIDDEN) !== null);
  if (isHidden || steps.every(({ isDone }) => isDone)) return null;
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section class="card stack" aria-labelledby="first-steps">
      <div class="row apart">
        <h2 id="first-steps">First steps</h2>
        <button
          type="button"
          class="small"
          onClick={() => {
            localStorage.setItem(HIDDEN, 'yes');
            setHidden(true);
          }}
        >
          Hide
        </button>
      </div>
      <p class="soft" role="status">
        {done} of {steps.length} done
      </p>
      <ol class="plain stack steps">
        {steps.map(({ isDone, text, href }) => (
          <li key={text} class={isDone ? 'done' : undefined}>
            <span class="mark" aria-hidden="true">
              {isDone ? '✓' : ''}
            </span>
            {isDone ? text : <a href={href}>{text}</a>}
            <span class="unseen">{isDone ? ', done' : ', to do'}</span>
          </li>
        ))}
      </ol>
    </section>
  );
};
