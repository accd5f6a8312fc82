import { useState } from 'preact/hooks';

import { ProofDue } from '../account/address-proof.tsx';
import { AlertSettings } from './alert-settings.tsx';
import { Alerts } from './alerts.tsx';
import { Allowed } from '../parts/allowed.tsx';
import { call } from '../parts/api.ts';
import { AutoTopUp } from './auto-top-up.tsx';
import { BillingAddress } from './billing-address.tsx';
import { microOf, money } from '../parts/format.ts';
import { MONEY_MOVES, useReloadAfter } from '../parts/live-events.ts';
import { Paid, rememberTopUp } from './paid.tsx';
import { facts, show } from '../parts/shell.tsx';
import { TopUps } from './top-ups.tsx';
import { Transactions } from './transactions.tsx';
import { Form, Loading, Problem, TextInput } from '../parts/ui.tsx';
import { Usage } from './usage.tsx';
import { useAction, useLoaded } from '../parts/use.ts';

const AMOUNTS = ['5', '10', '25', '100'];
const CENT = 10_000;
const MIN = 1_000_000;
const MAX = 500_000_000;

const TopUp = () => {
  const [amount, setAmount] = useState('25');
  const [problem, setProblem] = useState<string>();
  const pay = useAction(async () => {
    const micro = microOf(amount);
    const isGood = micro !== undefined && micro % CENT === 0 && micro >= MIN && micro <= MAX;
    setProblem(isGood ? undefined : 'An amount from $1 to $500, in whole cents.');
    if (!isGood) return;
    const { checkoutUrl, topUpId } = await call('post', '/v1/account/billing/top-up', {
      body: { usd: micro / 1_000_000 },
    });
    await rememberTopUp(topUpId, micro);
    location.assign(checkoutUrl);
  });
  const micro = microOf(amount);
  return (
    <Form onSend={pay.run}>
      <div class="row" role="group" aria-label="Amounts">
        {AMOUNTS.map((usd) => (
          <button
            type="button"
            key={usd}
            class="small"
            aria-pressed={amount === usd}
            onClick={() => setAmount(usd)}
          >
            ${usd}
          </button>
        ))}
      </div>
      <TextInput
        label="Amount in USD"
        inputMode="decimal"
        autoComplete="off"
        value={amount}
        error={problem}
        onInput={(event) => setAmount(event.currentTarget.value)}
      />
      <Problem error={pay.error} />
      <button class="primary" disabled={pay.running}>
        Top up {micro === undefined ? '' : money(micro)}
      </button>
      {facts.sandbox.has('cards') ? <p class="hint">The checkout is a sandbox: nobody is charged.</p> : null}
    </Form>
  );
};

const NoCards = () => (
  <p class="soft">
    This service takes no cards. Calls are paid in USDC: <a href="guides/first-call">the first call</a> shows
    how.
  </p>
);

const Billing = () => {
  const { data, error, reload } = useLoaded(() => call('get', '/v1/account'), []);
  useReloadAfter(MONEY_MOVES, reload);
  return (
    <>
      <div class="head">
        <div>
          <h1>Billing</h1>
          <p>
            You pay for credits in advance. Only successful calls are charged, and later failures are
            refunded.
          </p>
        </div>
      </div>
      <ProofDue />
      <Problem error={error} />
      <Paid />
      <Alerts types={['balance.low', 'spend.high', 'top_up.failed']} />
      <div class="grid">
        <section class="card stack" aria-labelledby="balance">
          <h2 id="balance">Balance</h2>
          {data === undefined ? (
            error === undefined && <Loading rows={2} />
          ) : (
            <p class="price huge">{money(data.balanceMicro)}</p>
          )}
          <p class="soft">
            What your keys and the studio may spend now. Money that is held for a running call is set aside.
          </p>
        </section>
        <Allowed to="POST /v1/account/billing/top-up">
          <section class="card stack" aria-labelledby="top-up">
            <h2 id="top-up">Top up</h2>
            {facts.takesCards ? <TopUp /> : <NoCards />}
          </section>
        </Allowed>
      </div>
      <Allowed to="PUT /v1/account/alerts">
        <AlertSettings />
      </Allowed>
      <Allowed to="GET /v1/account/billing/top-ups">
        <AutoTopUp />
        <BillingAddress />
        <TopUps />
      </Allowed>
      <Usage />
      <Transactions />
    </>
  );
};

show(<Billing />);
