import { CHANNELS } from './channel.sql';
import { OF_CONTRACT } from './contract-debt.sql';

/** The statements of claims, payouts and refunds of idle channels. */

/**
 * Reserves channels for one process for a minute, so that two processes do not pay the gas of the same claim. Channels
 * that were tried before come after the others.
 */
const take = (which: string): string => `
  update channel c set claim_until = now() + interval '1 minute'
  where c.id in (
    select id from channel
    where receiver_authorizer = $1 and network = $2 and (claim_until is null or claim_until < now()) and ${which}
    order by claim_until nulls first, used_at limit $3 for update skip locked)
  returning ${CHANNELS.columns}`;

export const TAKE_OWED = take(
  'charged_micro > claimed_micro and signature is not null and claim_refused_at is null',
);

/** Channels whose payer withdraws are claimed at once. A refused claim is tried again after its pause. */
export const TAKE_URGENT = take(
  `charged_micro > claimed_micro and signature is not null
    and (withdraw_requested_at > 0 or claim_refused_at is not null)`,
);

/** Channels with an old mirror, whose payer may have asked for a withdrawal meanwhile. */
export const TAKE_UNSEEN = take(
  `charged_micro > claimed_micro and synced_at < now() - $4 * interval '1 second'`,
);

export const TAKE_IDLE = take(
  `balance_micro > charged_micro and open_charge_id is null and (claim_refused_at is null or charged_micro <= claimed_micro)
    and used_at < now() - $4 * interval '1 second'
    and (refund_until is null or refund_until < now())`,
);

/**
 * Whether claims are due, by the amount of the debt or by the time since the last claim. Contract wallets owe at most
 * `$3` together, so their claims are due at a tenth of it. Channels that are put aside do not count. A payout is due if
 * no payout followed the last claim.
 */
export const DUE = `
  with owed as (
    select coalesce(sum(charged_micro - claimed_micro), 0) as micro, min(created_at) as since,
      coalesce(sum(charged_micro - claimed_micro) filter (where ${OF_CONTRACT}), 0) as contract_micro
    from channel where charged_micro > claimed_micro and signature is not null and receiver_authorizer = $1 and network = $2
      and claim_refused_at is null and (claim_failures = 0 or claim_until < now())
  ), claimed as (
    select max(created_at) filter (where kind = 'claim') as at, max(created_at) filter (where kind = 'payout') as paid_at
    from channel_transaction where kind in ('claim', 'payout') and network = $2
  )
  select o.micro > 0 and (o.micro >= $3 or o.contract_micro * 10 >= $3 or coalesce(c.at, o.since) < now() - $4 * interval '1 second') as claim,
    c.at is not null and (c.paid_at is null or c.paid_at < c.at) as payout
  from owed o, claimed c`;

/** The claimed money that no payout has transferred yet. */
export const UNPAID = `
  select coalesce(sum(amount_micro), 0)::text as micro from channel_transaction
  where kind = 'claim' and network = $1 and created_at >= coalesce(
    (select max(created_at) from channel_transaction where kind = 'payout' and network = $1), '-infinity')`;

/**
 * Puts a channel aside after a failed claim or refund, for a pause that grows. With `$2` its claim was refused, so it
 * takes no calls until its debt is claimed. The pause stays well below the delay of a withdrawal.
 */
export const PUT_ASIDE = `
  update channel set claim_failures = least(claim_failures + 1, 1000),
    claim_refused_at = case when $2::boolean then coalesce(claim_refused_at, now()) else claim_refused_at end,
    claim_until = now() + least(3600, withdraw_delay / 6, 60 * power(2, least(claim_failures, 10))) * interval '1 second'
  where id = $1`;

export const UNTAKE = `update channel set claim_until = null where id = any($1)`;
