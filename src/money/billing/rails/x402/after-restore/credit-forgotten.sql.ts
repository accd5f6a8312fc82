import { named } from '#platform/database/named-sql';
import { DECIDING } from '#notices/outbox/event.sql';
import { OPERATION } from '#money/billing/charges/operation';
import { WALLETS } from '#money/billing/ledger/account-id';
import { CREDIT_INCOMING } from '#money/billing/ledger/ledger.sql';

/**
 * Writes all rows of a finished top-up in one statement. The payment's row has no signature, so no process can send the
 * payment again. The statement claims the nonce by the same key as a claim. No row means that an existing charge has
 * the nonce. The real validity is unknown, so the row has the time of the payment's block, which the chain proves. The
 * payer's stored balance was read without this money. So `paid_in_seen_micro` grows with `paid_in_micro`, and the limit
 * of open calls remains the same.
 */
export const CREDIT_FORGOTTEN = named(`
  with claimed as (
    insert into x402_payment as p (network, asset, payer, nonce, charge_id, pay_to, amount_micro, valid_after,
      valid_before, tx_hash, log_index, from_block)
    values (:network, :asset, :payer, :nonce::bytea, :chargeId, :payTo, :amount::bigint, :time::bigint - 1,
      :time::bigint + 1, :transaction, :logIndex::integer, :block::bigint)
    on conflict (network, asset, payer, nonce) do update
    set charge_id = excluded.charge_id, payment_id = null, pay_to = excluded.pay_to,
      amount_micro = excluded.amount_micro, valid_after = excluded.valid_after, valid_before = excluded.valid_before,
      signature = null, tx_hash = excluded.tx_hash, log_index = excluded.log_index, from_block = excluded.from_block,
      settle_attempts = 0, last_error = null, updated_at = now()
    where (select c.state from charge c where c.id = p.charge_id) = 'released'
    returning p.charge_id, p.payer, p.amount_micro, p.tx_hash, p.network
  ), paid_in as (
    insert into x402_payer as w (payer, paid_in_micro, paid_in_seen_micro)
    select payer, amount_micro, amount_micro from claimed
    on conflict (payer) do update
    set paid_in_micro = w.paid_in_micro + excluded.paid_in_micro,
      paid_in_seen_micro = w.paid_in_seen_micro + excluded.paid_in_seen_micro
    returning w.payer
  ), made as (
    insert into charge (id, rail, operation, payer, model_id, price_micro, list_micro, fingerprint, state, settled_at,
      decided)
    select charge_id, 'x402', '${OPERATION.topUp}', claimed.payer, :model, amount_micro, amount_micro, :fingerprint::bytea,
      'charged', now(), ${DECIDING}
    from claimed join paid_in on paid_in.payer = claimed.payer
    returning id
  ), incoming as (
    select '${WALLETS}:' || claimed.payer as account_id, 'top_up' as kind, claimed.amount_micro,
      'x402:' || claimed.charge_id as source, null as charge_id, null as model_id, claimed.tx_hash as transaction,
      claimed.network
    from claimed join made on made.id = claimed.charge_id
  ), ${CREDIT_INCOMING}
  select claimed.charge_id as id, pg_notify('charge_moved', claimed.charge_id) from claimed`);
