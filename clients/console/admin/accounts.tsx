import { useState } from 'preact/hooks';

import { ActionButtons, ActionDialog, useActions } from './actions.tsx';
import { adminCall } from './operator-token.ts';
import type { Schemas } from '../parts/api.ts';
import { date, microOf, money } from '../parts/format.ts';
import { Pages } from '../parts/pages-of.tsx';
import { SearchBox, useSearch } from './search.tsx';
import { Badge, Code, Dialog, TextInput } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

type Account = Schemas['AdminAccount'];
type Action = 'ban' | 'unban' | 'credit' | 'reset';

const WORDS: Readonly<Record<Action, string>> = {
  ban: 'Close',
  unban: 'Open',
  credit: 'Give credits',
  reset: 'Make a link',
};
const TITLES: Readonly<Record<Action, string>> = {
  ban: 'Close the account',
  unban: 'Open the account again',
  credit: 'Give credits',
  reset: 'Make a link for a new password',
};

/** Shows the link, only once. The operator must send it to the person by other means. */
const ResetLink = ({
  account: { id, email = '' },
  onDone,
}: {
  readonly account: Account;
  readonly onDone: () => void;
}) => {
  const [url, setUrl] = useState<string>();
  const act = useAction(async ({ reason = '', factor }: Readonly<Record<string, string>>) => {
    const answer = await adminCall('post', '/v1/admin/accounts/{id}/reset-link', {
      at: { id },
      body: { reason, removeSecondFactor: factor !== undefined },
    });
    setUrl(answer.url);
  });
  if (url !== undefined) {
    return (
      <Dialog title={TITLES.reset} onClose={onDone}>
        <p>Give this link to {email} only, by a way that you trust. It works once, for a day.</p>
        <Code text={url} what="the link" />
        <div class="actions">
          <button type="button" class="primary" onClick={onDone}>
            I have it
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <ActionDialog title={TITLES.reset} about={email} act={act} onClose={onDone}>
      <label class="row">
        <input type="checkbox" name="factor" /> Remove the authenticator app as well
      </label>
    </ActionDialog>
  );
};

const Do = ({
  action,
  account: { id, email, name },
  onDone,
  onClose,
}: {
  readonly action: Exclude<Action, 'reset'>;
  readonly account: Account;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const [problem, setProblem] = useState<string>();
  // The dialog keeps one idempotency key, so that a retry after a lost answer does not grant credits twice.
  const [mark] = useState(() => `console-${crypto.getRandomValues(new Uint32Array(4)).join('')}`);
  const act = useAction(async ({ amount = '', reason = '' }: Readonly<Record<string, string>>) => {
    const amountMicro = microOf(amount);
    setProblem(action === 'credit' && !amountMicro ? 'An amount in dollars, such as 25 or 0.50.' : undefined);
    if (action === 'credit') {
      if (!amountMicro) return;
      const headers = { 'idempotency-key': mark };
      await adminCall('post', '/v1/admin/accounts/{id}/credit', {
        at: { id },
        body: { amountMicro, reason },
        headers,
      });
    } else {
      await adminCall('post', `/v1/admin/accounts/{id}/${action}`, { at: { id }, body: { reason } });
    }
    onDone();
  });
  return (
    <ActionDialog
      title={TITLES[action]}
      about={
        <>
          {email ?? name} <span class="mono soft">{id}</span>
        </>
      }
      act={act}
      isDangerous={action === 'ban'}
      onClose={onClose}
    >
      {action === 'credit' ? (
        <TextInput
          label="Amount in USD"
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          error={problem}
        />
      ) : null}
    </ActionDialog>
  );
};

/** A link for a new password is for people with an open account. */
const actionsOn = ({ bannedAt, email }: Account): readonly Action[] => [
  'credit',
  ...(bannedAt === null && email !== undefined ? (['reset'] as const) : []),
  bannedAt === null ? 'ban' : 'unban',
];

export const Accounts = () => {
  const { opened, open, turn, close, done } = useActions<{
    readonly action: Action;
    readonly account: Account;
  }>();
  const search = useSearch();
  return (
    <>
      <SearchBox label="Find accounts" hint="An id, or a part of an email address or of a name." />
      <Pages
        title="Accounts"
        empty={search === '' ? 'No accounts yet' : 'No such accounts'}
        turn={`${turn} ${search}`}
        head={['Email', 'Since', { text: 'Balance', numeric: true }, 'State', 'Actions']}
        load={async (cursor) => {
          const { accounts, nextCursor } = await adminCall('get', '/v1/admin/accounts', {
            query: { cursor, search: search || undefined },
          });
          return { lines: accounts, nextCursor };
        }}
        line={(account) => (
          <tr key={account.id}>
            <th scope="row">
              {account.email ?? account.name} <span class="mono soft">{account.id}</span>
            </th>
            <td class="nowrap">{date(account.createdAt)}</td>
            <td class="number">{money(account.balanceMicro)}</td>
            <td>
              {account.bannedAt === null ? <Badge tone="good">open</Badge> : <Badge tone="bad">closed</Badge>}
            </td>
            <td class="nowrap">
              <ActionButtons
                actions={actionsOn(account).map((action) => ({
                  action,
                  word: WORDS[action],
                  title: TITLES[action],
                }))}
                about={account.email ?? account.name ?? account.id}
                onAsk={(action) => open({ action, account })}
              />
            </td>
          </tr>
        )}
      />
      {opened?.action === 'reset' ? <ResetLink account={opened.account} onDone={done} /> : null}
      {opened === undefined || opened.action === 'reset' ? null : (
        <Do action={opened.action} account={opened.account} onClose={close} onDone={done} />
      )}
    </>
  );
};
