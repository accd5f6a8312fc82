import { tableOf } from '../../../../platform/database/table';
import { LEASE_UNTIL } from '../../../charges/lease';
import { WALLETS } from '../../../ledger/account-id';
import { CREDIT_INCOMING } from '../../../ledger/ledger.sql';
import { X402Payment } from './x402-payment.entity';

/**
 * The statements of x402 payments. Each is one fact, and all lock in the same order: the charge, its payment, the payer,
 * the ledger account. A claim makes its charge last, which nobody else can be waiting for.
 */

/**
 * Claims the nonce, opens the payer's exposure and makes the charge. No row: the nonce belongs to a charge that stands.
 * The exposure, one call at a time after a strike, and marks are refused by constraints, which undo all of it.
 */
export const CLAIM = `
  with claimed as (
    insert into x402_payment as p (network, asset, payer, nonce, charge_id, payment_id, pay_to, amount_micro,
      valid_after, valid_before, signature, from_block)
    values ($1, $2, $3, $4::bytea, $5, $6, $7, $8::bigint, $9::bigint, $10::bigint, $11::bytea, $12::bigint)
    on conflict (network, asset, payer, nonce) do update
    set charge_id = excluded.charge_id, payment_id = excluded.payment_id, pay_to = excluded.pay_to,
      amount_micro = excluded.amount_micro, valid_after = excluded.valid_after, valid_before = excluded.valid_before,
      signature = excluded.signature, from_block = excluded.from_block, settle_attempts = 0, last_error = null,
      updated_at = now()
    where (select c.state from charge c where c.id = p.charge_id) = 'released'
    returning p.charge_id, p.payer, p.amount_micro
  ), exposed as (
    insert into x402_payer as w (payer, open_micro, open_count, balance_seen_micro, paid_in_seen_micro)
    select payer, amount_micro, 1, $13::bigint, $14::bigint from claimed
    on conflict (payer) do update
    set open_micro = w.open_micro + excluded.open_micro, open_count = w.open_count + 1,
      balance_seen_micro = excluded.balance_seen_micro, paid_in_seen_micro = excluded.paid_in_seen_micro
    returning w.payer
  )
  insert into charge (id, rail, operation, payer, model_id, price_micro, list_micro, discount_percent, fingerprint,
    mark, state, lease_until)
  select c.charge_id, 'x402', $15, c.payer, $16, c.amount_micro, $17::bigint, $18::smallint, $19::bytea, $20, 'held', ${LEASE_UNTIL}
  from claimed c join exposed e on e.payer = c.payer
  returning id`;

export const PAYMENTS = tableOf(X402Payment);

/** The intent to settle, with the answer that it will pay for, before the facilitator hears of it. */
export const BEGIN_SETTLING = `
  with moved as (
    update charge set state = 'settling', lease_until = ${LEASE_UNTIL}, job_id = coalesce($3, job_id)
    where id = $1 and state = any($2::text[]) and rail = 'x402'
    returning id
  ), kept as (
    insert into replay (charge_id, status, answer, expires_at)
    select id, $4::smallint, $5::bytea, now() + $6::integer * interval '1 second' from moved where $5::bytea is not null
    on conflict (charge_id) do nothing
  )
  update x402_payment p set settle_attempts = p.settle_attempts + 1, updated_at = now()
  from moved where p.charge_id = moved.id
  returning ${PAYMENTS.columns}`;

/** The money has moved. For a top-up the same statement credits it: neither can be lost or happen twice alone. */
export const CHARGED = `
  with moved as (
    update charge set state = 'charged', settled_at = now(), lease_until = null
    where id = $1 and state = 'settling' and rail = 'x402'
    returning id, operation
  ), paid as (
    update x402_payment p set tx_hash = $2, log_index = $4, signature = case when $3::boolean then p.signature end,
      watch_at = case when $3::boolean then now() + interval '1 minute' end, last_error = null, updated_at = now()
    from moved where p.charge_id = moved.id
    returning p.charge_id, p.payer, p.amount_micro, moved.operation
  ), closed as (
    update x402_payer w set open_micro = w.open_micro - paid.amount_micro, open_count = w.open_count - 1,
      paid_in_micro = w.paid_in_micro + paid.amount_micro
    from paid where w.payer = paid.payer
    returning w.payer
  ), incoming as (
    select '${WALLETS}:' || paid.payer as account_id, 'top_up' as kind, paid.amount_micro, 'x402:' || paid.charge_id as source,
      null as charge_id, null as model_id, $2 as transaction
    from paid join closed on closed.payer = paid.payer
    where paid.operation = 'top_up'
  ), ${CREDIT_INCOMING}
  select charge_id as id, pg_notify('charge_moved', charge_id) from paid`;

/**
 * The first look comes while a forgotten payment can still be brought again, the others every 20 minutes: that is about
 * what Base takes until nothing can be forgotten.
 */
export const TAKE_WATCHED = `
  update x402_payment p set watch_at = now() + interval '20 minutes', looks = p.looks + 1
  where p.charge_id in (
    select charge_id from x402_payment where watch_at <= now() order by watch_at limit $1 for update skip locked)
  returning ${PAYMENTS.columns}`;

/** Soon looked at again, because what was brought anew is as young as the first one was. */
export const CARRIED_BY = `
  update x402_payment set tx_hash = $2, log_index = $3, watch_at = now() + interval '1 minute', updated_at = now()
  where charge_id = $1 and watch_at is not null and (tx_hash, log_index) is distinct from ($2, $3)`;

export const FINAL = `
  update x402_payment set tx_hash = $2, log_index = $3, signature = null, watch_at = null, updated_at = now()
  where charge_id = $1 and watch_at is not null`;

/** Nothing else moves: the payer has what it paid for, and the charge stands. It may have one call open from now on. */
export const LOST = `
  with lost as (
    update x402_payment set signature = null, watch_at = null, lost_at = now(), last_error = 'forgotten_by_the_chain',
      updated_at = now()
    where charge_id = $1 and watch_at is not null
    returning charge_id, payer
  ), struck as (
    update x402_payer w set strikes = w.strikes + 1 from lost where w.payer = lost.payer
  )
  select charge_id from lost`;

/** The money surely did not move: the nonce, its identifier and the exposure are free again, and no answer is kept. */
export const RELEASED = `
  with moved as (
    update charge set state = 'released', lease_until = null
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

/** Nobody knows yet. The lease is shortened, so that the chain is asked again soon, and less often as time goes by. */
export const IN_DOUBT = `
  with doubted as (
    update charge c set lease_until = now() + make_interval(secs => least(60, 2 ^ least(p.settle_attempts, 6)))
    from x402_payment p where p.charge_id = c.id and c.id = $1 and c.state = 'settling'
    returning c.id
  )
  update x402_payment p set last_error = $2, updated_at = now() from doubted where p.charge_id = doubted.id`;

/** The job failed after it was paid for: the chain payment stays, the wallet's balance gets the same amount, once. */
export const CREDIT_LATE_FAILURE = `
  with moved as (
    update charge set state = 'refunded', refunded_at = now()
    where id = $1 and rail = 'x402' and state = 'charged' and operation <> 'top_up'
    returning id, payer, price_micro, model_id
  ), incoming as (
    select '${WALLETS}:' || m.payer as account_id, 'refund' as kind, m.price_micro as amount_micro, null as source,
      m.id as charge_id, m.model_id, p.tx_hash as transaction
    from moved m left join x402_payment p on p.charge_id = m.id
  ), ${CREDIT_INCOMING}
  select id, pg_notify('charge_moved', id) from moved`;

/** Counted anew once the last one is over a day ago. */
export const WASTED = `
  update x402_payer set wasted_at = now(),
    wasted = case when wasted_at > now() - interval '1 day' then wasted + 1 else 1 end
  where payer = $1`;

export const IS_WASTEFUL = `
  select from x402_payer where payer = $1 and wasted >= 3 and wasted_at > now() - interval '1 day'`;

export const SOME_SETTLE = `
  select from charge where rail = 'x402' and payer = $1 and state = 'settling' limit 1`;

/** Charges that stand and carry this nonce, or this identifier of the same payer. The nonce comes first. */
export const EARLIER = `
  select c.id, c.state, c.fingerprint, true as same_nonce
  from x402_payment p join charge c on c.id = p.charge_id
  where p.network = $1 and p.asset = $2 and p.payer = $3 and p.nonce = $4::bytea and c.state <> 'released'
  union all
  select c.id, c.state, c.fingerprint, false
  from x402_payment p join charge c on c.id = p.charge_id
  where p.payer = $3 and p.payment_id = $5 and c.state <> 'released'`;

export const FIND_PAYMENT = `
  select ${PAYMENTS.columns}, (select c.state from charge c where c.id = charge_id) as state
  from x402_payment where charge_id = $1`;
