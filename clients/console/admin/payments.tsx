import { useState } from 'preact/hooks';

import { ActionButtons, ActionDialog, useActions } from './actions.tsx';
import { adminCall } from './operator-token.ts';
import type { Schemas } from '../parts/api.ts';
import { microOf, money, time } from '../parts/format.ts';
import { Pages } from '../parts/pages-of.tsx';
import { Badge, TextInput } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

type Payment = Schemas['AdminPayment'];
type Action = 'credit' | 'close';

const WORDS: Readonly<Record<Action, string>> = { credit: 'Credit', close: 'Close' };
const TITLES: Readonly<Record<Action, string>> = {
  credit: 'Credit the payment',
  close: 'Close the payment',
};

const paidText = ({ amountMicro, currency = '' }: Payment): string => {
  if (amountMicro === undefined) return 'not known';
  return currency === 'usd' ? money(amountMicro) : `${amountMicro / 1_000_000} ${currency.toUpperCase()}`;
};

/** Asks for the decision about a payment. Operators can decide each payment only once. */
const Decide = ({
  action,
  payment,
  onDone,
  onClose,
}: {
  readonly action: Action;
  readonly payment: Payment;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const { id, reference, accountId, amountMicro, currency } = payment;
  const [problem, setProblem] = useState<string>();
  const act = useAction(async (given: Readonly<Record<string, string>>) => {
    const { amount = '', account = '', reason = '' } = given;
    if (action === 'close') {
      await adminCall('post', '/v1/admin/payments/{id}/close', { at: { id }, body: { reason } });
      return onDone();
    }
    const micro = amount.trim() === '' ? undefined : microOf(amount);
    const isWrong = amount.trim() !== '' && !micro;
    setProblem(isWrong ? 'An amount in dollars, such as 25 or 0.50.' : undefined);
    if (isWrong) return;
    const body = {
      reason,
      amountMicro: micro || undefined,
      accountId: account.trim() || undefined,
    };
    await adminCall('post', '/v1/admin/payments/{id}/credit', { at: { id }, body });
    onDone();
  });
  const isDollars = currency === 'usd' && amountMicro !== undefined;
  return (
    <ActionDialog
      title={TITLES[action]}
      about={
        <>
          {paidText(payment)} <span class="mono soft">{reference}</span>
        </>
      }
      act={act}
      onClose={onClose}
    >
      {action === 'credit' ? (
        <>
          <TextInput
            label="Account"
            name="account"
            autoComplete="off"
            required={accountId === undefined}
            hint={accountId === undefined ? 'The payment does not name its account.' : `Else ${accountId}.`}
          />
          <TextInput
            label="Amount in USD"
            name="amount"
            inputMode="decimal"
            autoComplete="off"
            required={!isDollars}
            hint={isDollars ? 'Else what was paid.' : 'It was not paid in dollars.'}
            error={problem}
          />
        </>
      ) : (
        <p class="hint">Nothing is moved here: give the money back at the processor first.</p>
      )}
    </ActionDialog>
  );
};

/** Payments that bought no credits. */
export const Payments = () => {
  const { opened, open, turn, close, done } = useActions<{
    readonly action: Action;
    readonly payment: Payment;
  }>();
  return (
    <section class="card stack" aria-labelledby="payments">
      <h2 id="payments">Payments without credits</h2>
      <Pages
        title="Payments without credits"
        empty="Every payment has bought its credits"
        turn={turn}
        head={['Paid', 'State', 'Why', { text: 'Amount', numeric: true }, 'Account', 'Actions']}
        load={async (cursor) => {
          const { payments, nextCursor } = await adminCall('get', '/v1/admin/payments', {
            query: { cursor },
          });
          return { lines: payments, nextCursor };
        }}
        line={(payment) => (
          <tr key={payment.id}>
            <th scope="row" class="nowrap">
              {time(payment.createdAt)} <span class="mono soft">{payment.reference}</span>
            </th>
            <td>
              <Badge tone={payment.state === 'open' ? 'bad' : 'good'}>{payment.state}</Badge>
            </td>
            <td>{payment.outcome.replaceAll('_', ' ')}</td>
            <td class="number">{paidText(payment)}</td>
            <td class="mono">{payment.accountId ?? ''}</td>
            <td class="nowrap">
              <ActionButtons
                actions={(payment.state === 'open' ? (['credit', 'close'] as const) : []).map((action) => ({
                  action,
                  word: WORDS[action],
                  title: TITLES[action],
                }))}
                about={payment.reference ?? ''}
                onAsk={(action) => open({ action, payment })}
              />
            </td>
          </tr>
        )}
      />
      {opened === undefined ? null : (
        <Decide action={opened.action} payment={opened.payment} onClose={close} onDone={done} />
      )}
    </section>
  );
};
