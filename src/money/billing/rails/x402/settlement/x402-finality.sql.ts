import { tableOf } from '#platform/database/table';
import { X402Payment } from './x402-payment.entity';

/** The statements that check a charged payment until it is final. They take locks in the order of `x402-payment.sql.ts`. */

const { columns: COLUMNS } = tableOf(X402Payment);

/** The first check comes while a dropped payment can still be sent again. */
export const FIRST_CHECK_AFTER = `interval '1 minute'`;

/** Later checks come every 20 minutes, which is about the time until a block of Base is final. */
export const TAKE_WATCHED = `
  update x402_payment p set watch_at = now() + interval '20 minutes', looks = p.looks + 1
  where p.charge_id in (
    select charge_id from x402_payment where watch_at <= now() order by watch_at limit $1 for update skip locked)
  returning ${COLUMNS}`;

/** The next check comes soon, because a payment that was sent again is as young as a new one. */
export const CARRIED_BY = `
  update x402_payment set tx_hash = $2, log_index = $3, watch_at = now() + ${FIRST_CHECK_AFTER}, updated_at = now()
  where charge_id = $1 and watch_at is not null and (tx_hash, log_index) is distinct from ($2, $3)`;

export const FINAL = `
  update x402_payment set tx_hash = $2, log_index = $3, signature = null, watch_at = null, updated_at = now()
  where charge_id = $1 and watch_at is not null`;

/**
 * Records a lost payment. No money moves: the payer has the answer, and the charge remains. From then on, that payer
 * may have one open call at a time.
 */
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
