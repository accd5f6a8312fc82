import { useState } from 'preact/hooks';

import { useMay } from '../parts/allowed.tsx';
import { type Schemas, call } from '../parts/api.ts';
import { microOf, money } from '../parts/format.ts';
import { useReloadAfter } from '../parts/live-events.ts';
import { paramOf } from '../account/proof.tsx';
import { facts } from '../parts/shell.tsx';
import { Badge, Form, Loading, Problem, TextInput } from '../parts/ui.tsx';
import { useAction, useLoaded } from '../parts/use.ts';

type State = Schemas['AutoTopUpAnswer'];

const PATH = '/v1/account/billing/auto-top-up';

const REASONS: Readonly<Record<string, string>> = {
  declined: 'the bank declined it',
  authentication_needed: 'the bank wants you to confirm it: save the card again',
  card_gone: 'the card is not valid any more: save another one',
};

/** Typed dollars. A text that is no amount becomes 0, which the service rejects. */
const usdIn = (text = ''): number => (microOf(text) ?? 0) / 1e6;

const Rule = ({ state, onChange }: { readonly state: State; readonly onChange: () => void }) => {
  const put = useAction(async (fields: Readonly<Record<string, string>>, enabled: boolean) => {
    const body = {
      enabled,
      belowUsd: usdIn(fields['below']),
      amountUsd: usdIn(fields['amount']),
      monthUsd: usdIn(fields['month']),
    };
    await call('put', PATH, { body });
    onChange();
  });
  const wrong = (name: string) => (paramOf(put.error) === name ? put.error?.message : undefined);
  const isNamed = ['belowUsd', 'amountUsd', 'monthUsd'].includes(paramOf(put.error) ?? '');
  const field = { inputMode: 'decimal', autoComplete: 'off', required: true } as const;
  return (
    <Form onSend={(fields) => put.run(fields, true)}>
      <div class="grid">
        <TextInput
          {...field}
          label="When the balance is below, in USD"
          name="below"
          defaultValue={String(state.belowUsd ?? 5)}
          error={wrong('belowUsd')}
        />
        <TextInput
          {...field}
          label="Charge the card, in USD"
          name="amount"
          defaultValue={String(state.amountUsd ?? 25)}
          error={wrong('amountUsd')}
        />
        <TextInput
          {...field}
          label="At most in a month, in USD"
          name="month"
          defaultValue={String(state.monthUsd ?? 100)}
          hint="A month begins on the first day, in UTC."
          error={wrong('monthUsd')}
        />
      </div>
      <Problem error={isNamed ? undefined : put.error} />
      <div class="actions">
        {state.enabled ? (
          <button
            type="button"
            disabled={put.running}
            onClick={() =>
              void put.run(
                {
                  below: String(state.belowUsd),
                  amount: String(state.amountUsd),
                  month: String(state.monthUsd),
                },
                false,
              )
            }
          >
            Switch off
          </button>
        ) : null}
        <button class="primary" disabled={put.running}>
          {state.enabled ? 'Save the amounts' : 'Switch on'}
        </button>
      </div>
    </Form>
  );
};

/** Automatic top-ups by a saved card. If the service saves no cards, the part only removes one of an earlier time. */
export const AutoTopUp = () => {
  const { data, error, reload } = useLoaded((signal) => call('get', PATH, { signal }), []);
  useReloadAfter(['balance.topped_up', 'top_up.failed'], reload);
  const [turn, setTurn] = useState(0);
  const isOwner = useMay('PUT /v1/account/billing/auto-top-up');
  const open = useAction(async () => {
    location.assign((await call('post', `${PATH}/card`)).checkoutUrl);
  });
  const remove = useAction(async () => {
    await call('delete', `${PATH}/card`);
    changed();
  });
  const changed = (): void => {
    setTurn((before) => before + 1);
    reload();
  };
  const isAvailable = facts.takesCards && data?.available !== false;
  if (!isAvailable && data?.card === undefined) return null;
  return (
    <section class="card stack" aria-labelledby="auto-top-up">
      <div class="row apart">
        <h2 id="auto-top-up">Automatic top-up</h2>
        {data === undefined ? null : (
          <Badge tone={isAvailable && data.enabled ? 'good' : 'calm'}>
            {isAvailable && data.enabled ? 'on' : 'off'}
          </Badge>
        )}
      </div>
      <Problem error={error ?? open.error ?? remove.error} />
      {data === undefined ? (
        error === undefined && <Loading rows={2} />
      ) : (
        <>
          <p class="soft">
            {data.card === undefined
              ? 'A card that you save is charged when the balance is low. The payment processor keeps it.'
              : `The card ${data.card}. ${money(data.usedMicro)} charged this month.`}
            {isAvailable ? null : ' This service takes no cards now, so it is not charged.'}
          </p>
          {data.failures === 0 ? null : (
            <p class="notice bad">
              The last charge failed: {REASONS[data.lastFailure ?? ''] ?? 'the payment was refused'}.
            </p>
          )}
          {isOwner === true ? (
            <>
              <div class="row">
                {isAvailable ? (
                  <button
                    type="button"
                    class={data.card === undefined ? 'primary' : 'small'}
                    disabled={open.running}
                    onClick={() => void open.run()}
                  >
                    {data.card === undefined ? 'Save a card' : 'Save another card'}
                  </button>
                ) : null}
                {data.card === undefined ? null : (
                  <button
                    type="button"
                    class="small danger"
                    disabled={remove.running}
                    onClick={() => void remove.run()}
                  >
                    Remove the card
                  </button>
                )}
              </div>
              {data.card === undefined || !isAvailable ? null : (
                <Rule key={`${turn} ${data.enabled}`} state={data} onChange={changed} />
              )}
            </>
          ) : null}
        </>
      )}
    </section>
  );
};
