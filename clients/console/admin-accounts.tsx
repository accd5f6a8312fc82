import { useState } from 'preact/hooks';

import { ActionButtons, ActionDialog, useActions } from './admin-actions.tsx';
import { adminCall } from './admin.ts';
import type { Schemas } from './api.ts';
import { date, microOf, money } from './format.ts';
import { Pages } from './pages-of.tsx';
import { Badge, TextInput } from './ui.tsx';
import { useAction } from './use.ts';

type Account = Schemas['AdminAccount'];
type Action = 'ban' | 'unban' | 'credit';

const WORDS: Readonly<Record<Action, string>> = { ban: 'Close', unban: 'Open', credit: 'Credit' };
const TITLES: Readonly<Record<Action, string>> = {
  ban: 'Close the account',
  unban: 'Open the account again',
  credit: 'Give credits',
};

const Do = ({
  action,
  account: { id, email, name },
  onDone,
  onClose,
}: {
  readonly action: Action;
  readonly account: Account;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const [problem, setProblem] = useState<string>();
  // One mark for this question, so that a second try after a lost answer gives nothing twice.
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

export const Accounts = () => {
  const { asked, ask, turn, close, done } = useActions<{
    readonly action: Action;
    readonly account: Account;
  }>();
  return (
    <>
      <Pages
        title="Accounts"
        empty="No accounts yet"
        turn={turn}
        head={['Email', 'Since', { text: 'Balance', numeric: true }, 'State', 'Actions']}
        load={async (cursor) => {
          const { accounts, nextCursor } = await adminCall('get', '/v1/admin/accounts', {
            query: { cursor },
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
                actions={(['credit', account.bannedAt === null ? 'ban' : 'unban'] as const).map((action) => ({
                  action,
                  word: WORDS[action],
                  title: TITLES[action],
                }))}
                about={account.email ?? account.name ?? account.id}
                onAsk={(action) => ask({ action, account })}
              />
            </td>
          </tr>
        )}
      />
      {asked === undefined ? null : (
        <Do action={asked.action} account={asked.account} onClose={close} onDone={done} />
      )}
    </>
  );
};
