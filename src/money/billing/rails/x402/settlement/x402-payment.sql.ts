import { DECIDED, EVENT_CHARGED, EVENT_REFUNDED } from '#notices/outbox/event.sql';
import type { Micro } from '#kernel/money';
import { ItemColumns } from '#platform/database/batch-rows';
import { tableOf } from '#platform/database/table';
import type { ChargeDraft } from '#money/billing/charges/charge';
import { LEASE_UNTIL } from '#money/billing/charges/lease';
import { OPERATION } from '#money/billing/charges/operation';
import { WALLETS } from '#money/billing/ledger/account-id';
import { CREDIT_INCOMING } from '#money/billing/ledger/ledger.sql';
import type { Hex, SignedPayment } from '../proof/signed-payment';
import { FIRST_CHECK_AFTER } from './x402-finality.sql';
import { X402Payment } from './x402-payment.entity';

/**
 * The statements of x402 payments. Each statement is atomic. All statements take locks in one order: charges, their
 * payments, payers, ledger accounts, each by its key. A claim inserts its charges last, because no other statement can
 * wait for a new charge. Statements that every call runs take arrays: concurrent calls share a statement and a commit.
 * If several items name one row, the statement uses the first. `place` is its index.
 */

/** The payer's money as it was read for the claim. */
export interface SeenBalance {
  readonly balance?: Micro;
  /** The amount paid in, read before the balance, so that the money of a settlement in between can't be spent twice. */
  readonly paidIn: Micro;
  readonly fromBlock?: bigint;
}

export interface Claiming {
  readonly draft: ChargeDraft;
  readonly payment: SignedPayment;
  readonly paymentId: string | undefined;
  readonly seen: SeenBalance;
}

export const bytes = (hex: Hex): Buffer => Buffer.from(hex.slice(2), 'hex');

export const CLAIMS = new ItemColumns<Claiming>({
  network: ['text', ({ payment }) => payment.network],
  asset: ['text', ({ payment }) => payment.asset],
  payer: ['text', ({ payment }) => payment.payer],
  nonce: ['bytea', ({ payment }) => bytes(payment.nonce)],
  id: ['text', ({ draft }) => draft.id],
  payment_id: ['text', ({ paymentId }) => paymentId],
  pay_to: ['text', ({ payment }) => payment.payTo],
  amount_micro: ['bigint', ({ payment }) => payment.amount],
  valid_after: ['bigint', ({ payment }) => payment.validAfter],
  valid_before: ['bigint', ({ payment }) => payment.validBefore],
  signature: ['bytea', ({ payment }) => bytes(payment.signature)],
  from_block: ['bigint', ({ seen }) => seen.fromBlock],
  balance_seen_micro: ['bigint', ({ seen }) => seen.balance],
  paid_in_seen_micro: ['bigint', ({ seen }) => seen.paidIn],
  operation: ['text', ({ draft }) => draft.operation],
  model_id: ['text', ({ draft }) => draft.modelId],
  list_micro: ['bigint', ({ draft }) => draft.list],
  discount_percent: ['smallint', ({ draft }) => draft.discountPercent],
  fingerprint: ['bytea', ({ draft }) => draft.fingerprint],
  mark: ['text', ({ draft }) => draft.mark],
  tag: ['text', ({ draft }) => draft.tag],
});

/**
 * Claims nonces, adds to the payers' exposure and inserts the charges. No row means that an existing charge has the
 * nonce. Constraints refuse too much exposure, a second open call after a strike, and a used idempotency key, and undo
 * the whole statement. Of several readings of a payer's money, the statement uses the lowest.
 */
export const CLAIM_MANY = `
  with drafted as (
    select distinct on (network, asset, payer, nonce) * from ${CLAIMS.table('d')}
    order by network, asset, payer, nonce, place
  ), claimed as (
    insert into x402_payment as p (network, asset, payer, nonce, charge_id, payment_id, pay_to, amount_micro,
      valid_after, valid_before, signature, from_block)
    select network, asset, payer, nonce, id, payment_id, pay_to, amount_micro, valid_after, valid_before, signature,
      from_block
    from drafted
    on conflict (network, asset, payer, nonce) do update
    set charge_id = excluded.charge_id, payment_id = excluded.payment_id, pay_to = excluded.pay_to,
      amount_micro = excluded.amount_micro, valid_after = excluded.valid_after, valid_before = excluded.valid_before,
      signature = excluded.signature, from_block = excluded.from_block, settle_attempts = 0, last_error = null,
      updated_at = now()
    where (select c.state from charge c where c.id = p.charge_id) = 'released'
    returning p.charge_id
  ), won as (
    select d.* from drafted d join claimed c on c.charge_id = d.id
  ), exposed as (
    insert into x402_payer as w (payer, open_micro, open_count, balance_seen_micro, paid_in_seen_micro)
    select payer, sum(amount_micro), count(*), min(balance_seen_micro), min(paid_in_seen_micro)
    from won group by payer order by payer
    on conflict (payer) do update
    set open_micro = w.open_micro + excluded.open_micro, open_count = w.open_count + excluded.open_count,
      balance_seen_micro = excluded.balance_seen_micro, paid_in_seen_micro = excluded.paid_in_seen_micro
    returning w.payer
  ), made as (
    insert into charge (id, rail, operation, payer, model_id, price_micro, list_micro, discount_percent, fingerprint,
      mark, tag, state, lease_until)
    select id, 'x402', operation, won.payer, model_id, amount_micro, list_micro, discount_percent, fingerprint, mark,
      tag, 'held', ${LEASE_UNTIL}
    from won join exposed on exposed.payer = won.payer
    returning id
  )
  select won.place from won join made on made.id = won.id`;

export const PAYMENTS = tableOf(X402Payment);

/** Stores the intents to settle and the answers, before the service calls the facilitator. */
export const BEGIN_SETTLING_MANY = `
  with answered as (
    select distinct on (id) * from unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::bytea[], $6::integer[])
    with ordinality as a (id, from_state, job_id, status, answer, seconds, place) order by id, place
  ), ready as (
    select a.* from charge c join answered a on a.id = c.id
    where c.state = a.from_state and c.rail = 'x402' order by c.id for update of c
  ), moved as (
    update charge c set state = 'settling', lease_until = ${LEASE_UNTIL}, job_id = coalesce(r.job_id, c.job_id)
    from ready r where c.id = r.id
  ), kept as (
    insert into replay (charge_id, status, answer, expires_at)
    select id, status, answer, now() + seconds * interval '1 second' from ready where answer is not null
    on conflict (charge_id) do nothing
  )
  update x402_payment p set settle_attempts = p.settle_attempts + 1, updated_at = now()
  from ready r where p.charge_id = r.id
  returning r.place, ${PAYMENTS.columns}`;

/**
 * Records that the money of charges has moved. `which` selects the charges; `writeEvents` and `credited` write their events
 * and credits.
 */
const charged = (which: string, writeEvents: string, credited: string): string => `
  with named as (
    select distinct on (id) * from unnest($1::text[], $2::text[], $3::boolean[], $4::integer[])
    with ordinality as n (id, tx_hash, watch, log_index, place) order by id, place
  ), ready as (
    select n.*, c.operation from charge c join named n on n.id = c.id
    where c.state = 'settling' and c.rail = 'x402' ${which} order by c.id for update of c
  ), moved as (
    update charge c set state = 'charged', settled_at = now(), lease_until = null, ${DECIDED}
    from ready r where c.id = r.id
    returning c.id
  ), ${writeEvents} paid as (
    update x402_payment p set tx_hash = r.tx_hash, log_index = r.log_index,
      signature = case when r.watch then p.signature end,
      watch_at = case when r.watch then now() + ${FIRST_CHECK_AFTER} end, last_error = null, updated_at = now()
    from ready r where p.charge_id = r.id
    returning p.charge_id, p.payer, p.amount_micro, p.tx_hash, p.network, r.operation, r.place
  ), closing as (
    select payer, sum(amount_micro)::bigint as total, count(*)::integer as calls from paid group by payer
  ), locked as (
    select w.payer from x402_payer w join closing c on c.payer = w.payer order by w.payer for update of w
  ), closed as (
    update x402_payer w set open_micro = w.open_micro - c.total, open_count = w.open_count - c.calls,
      paid_in_micro = w.paid_in_micro + c.total
    from closing c join locked l on l.payer = c.payer where w.payer = c.payer
    returning w.payer
  ) ${credited}
  select place, pg_notify('charge_moved', charge_id) from paid`;

/**
 * Charges calls without a job, which have no events and no credits. Events and credits would make the statement a
 * quarter slower.
 */
export const CHARGED_CALLS = charged(
  `and c.operation <> '${OPERATION.topUp}' and not exists (select from job j where j.charge_id = c.id)`,
  '',
  '',
);

/** Charges any call. The same statement credits a top-up, so the charge and the credit happen together, once. */
export const CHARGED_ANY = charged(
  '',
  `${EVENT_CHARGED},`,
  `, incoming as (
    select '${WALLETS}:' || paid.payer as account_id, 'top_up' as kind, paid.amount_micro, 'x402:' || paid.charge_id as source,
      null as charge_id, null as model_id, paid.tx_hash as transaction, paid.network
    from paid join closed on closed.payer = paid.payer
    where paid.operation = '${OPERATION.topUp}'
  ), ${CREDIT_INCOMING}`,
);

/**
 * Releases a charge whose money certainly did not move. The nonce, its identifier and the exposure become free, and the
 * statement deletes the answer.
 */
export const RELEASED = `
  with moved as (
    update charge set state = 'released', lease_until = null, ${DECIDED}
    where id = $1 and state = any($2::text[]) and rail = 'x402'
    returning id
  ), freed as (
    update x402_payment p set payment_id = null, signature = null, last_error = $4, updated_at = now()
    from moved where p.charge_id = moved.id
    returning p.charge_id, p.payer, p.amount_micro
  ), closed as (
    update x402_payer w set open_micro = w.open_micro - freed.amount_micro, open_count = w.open_count - 1,
      strikes = w.strikes + $3::integer
    from freed where w.payer = freed.payer
  ), dropped as (
    delete from replay r using freed where r.charge_id = freed.charge_id
  )
  select charge_id as id, pg_notify('charge_moved', charge_id) from freed`;

/** Shortens the lease of a charge in doubt, so that the sweep asks the chain soon, and then with growing pauses. */
export const IN_DOUBT = `
  with doubted as (
    update charge c set lease_until = now() + make_interval(secs => least(60, 2 ^ least(p.settle_attempts, 6)))
    from x402_payment p where p.charge_id = c.id and c.id = $1 and c.state = 'settling'
    returning c.id
  )
  update x402_payment p set last_error = $2, updated_at = now() from doubted where p.charge_id = doubted.id`;

/**
 * Refunds a charge whose job failed after the payment. The payment on the chain remains, and the wallet's balance gets
 * the same amount, once.
 */
export const CREDIT_LATE_FAILURE = `
  with moved as (
    update charge set state = 'refunded', refunded_at = now()
    where id = $1 and rail = 'x402' and state = 'charged' and operation <> '${OPERATION.topUp}'
    returning *
  ), ${EVENT_REFUNDED}, incoming as (
    select '${WALLETS}:' || m.payer as account_id, 'refund' as kind, m.price_micro as amount_micro, null as source,
      m.id as charge_id, m.model_id, p.tx_hash as transaction, p.network
    from moved m left join x402_payment p on p.charge_id = m.id
  ), ${CREDIT_INCOMING}
  select id, pg_notify('charge_moved', id) from moved`;

export const SOME_SETTLE = `
  select from charge where rail = 'x402' and payer = $1 and state = 'settling' limit 1`;

/** Existing charges with these nonces, or with these identifiers of the same payers. */
export const EARLIER_MANY = `
  with wanted as (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[])
    with ordinality as w (network, asset, payer, nonce, payment_id, place)
  )
  select w.place, c.id, c.state, c.fingerprint, true as same_nonce
  from wanted w
  join x402_payment p on p.network = w.network and p.asset = w.asset and p.payer = w.payer and p.nonce = w.nonce
  join charge c on c.id = p.charge_id
  where c.state <> 'released'
  union all
  select w.place, c.id, c.state, c.fingerprint, false
  from wanted w
  join x402_payment p on p.payer = w.payer and p.payment_id = w.payment_id
  join charge c on c.id = p.charge_id
  where c.state <> 'released'`;

export const FIND_PAYMENT = `
  select ${PAYMENTS.columns}, (select c.state from charge c where c.id = charge_id) as state
  from x402_payment where charge_id = $1`;
