import { ItemColumns } from '#platform/database/batch-rows';
import { named } from '#platform/database/named-sql';
import { DECIDED, EVENT_CHARGED, EVENT_REFUNDED } from '#notices/outbox/event.sql';
import { tableOf } from '#platform/database/table';
import type { ChargeDraft } from '../../charges/charge';
import { LEASE_UNTIL } from '../../charges/lease';
import { OPERATION } from '../../charges/operation';
import { WALLETS } from '../../ledger/account-id';
import { CREDIT_INCOMING } from '../../ledger/ledger.sql';
import { type ChannelPayment, ZERO_WALLET } from './channel-payment';
import { Channel } from './channel.entity';
import { contractDebt } from './contract-debt.sql';

/**
 * The statements of payment channels. Each change is one statement, so it happens as a whole or not at all. To prevent
 * deadlocks, all statements lock charges before channels, and rows of a table in the order of their keys. A hold
 * inserts its charges after it locks channels, which is safe because nothing can wait for a new charge. Statements that
 * every call runs take arrays: concurrent calls share a statement and a commit. If several items name one row, the
 * statement uses the first. `place` is its index.
 */

export const CHANNELS = tableOf(Channel);

/** Whether the mirror of a channel may be used: its age must be well below the delay of a withdrawal. */
const IS_FRESH = `c.synced_at > now() - least(300, greatest(30, c.withdraw_delay / 3)) * interval '1 second'`;

/** The conditions of a channel in which a call may run. A refusal counts only while its debt is open. */
const IS_FREE = `c.open_charge_id is null and c.withdraw_requested_at = 0
  and (c.claim_refused_at is null or c.charged_micro <= c.claimed_micro) and ${IS_FRESH}
  and (c.refund_until is null or c.refund_until < now())`;

/** A call with the voucher that pays it. */
export interface Holding {
  readonly draft: ChargeDraft;
  readonly payment: ChannelPayment;
}

export const HOLDINGS = new ItemColumns<Holding>({
  channel_id: ['text', ({ payment }) => payment.channelId],
  signed_micro: ['bigint', ({ payment }) => payment.signed],
  signature: ['text', ({ payment }) => payment.signature],
  id: ['text', ({ draft }) => draft.id],
  operation: ['text', ({ draft }) => draft.operation],
  model_id: ['text', ({ draft }) => draft.modelId],
  price_micro: ['bigint', ({ draft }) => draft.price],
  list_micro: ['bigint', ({ draft }) => draft.list],
  discount_percent: ['smallint', ({ draft }) => draft.discountPercent],
  fingerprint: ['bytea', ({ draft }) => draft.fingerprint],
  mark: ['text', ({ draft }) => draft.mark],
  tag: ['text', ({ draft }) => draft.tag],
});

/**
 * Stores vouchers and opens their calls. Returns no row if the channel is not free: another call or a refund runs, the
 * payer withdraws, or the mirror is old. A channel with a refused claim is not free either. The voucher's total must fit,
 * and the channel must have enough money. All contract wallets together may owe `$1`.
 */
export const HOLD_MANY = `
  with drafted as (
    select distinct on (channel_id) * from ${HOLDINGS.table('d', 1)} order by channel_id, place
  ), locked as (
    select c.id from channel c join drafted d on d.channel_id = c.id order by c.id for update of c
  ), opened as (
    update channel c set open_charge_id = d.id, open_signed_micro = d.signed_micro, open_signature = d.signature,
      used_at = now()
    from drafted d join locked l on l.id = d.channel_id
    where c.id = d.channel_id and ${IS_FREE} and c.charged_micro + d.price_micro = d.signed_micro
      and d.signed_micro <= c.balance_micro and d.signed_micro > c.claimed_micro
      and (c.payer_authorizer <> '${ZERO_WALLET}' or ${contractDebt('c.network')} + d.price_micro <= $1::bigint)
    returning c.payer, d.*
  ), vouched as (
    insert into channel_voucher (charge_id, channel_id, signed_micro) select id, channel_id, signed_micro from opened
    returning charge_id
  ), made as (
    insert into charge (id, rail, operation, payer, model_id, price_micro, list_micro, discount_percent, fingerprint,
      mark, tag, state, lease_until)
    select o.id, 'channel', operation, payer, model_id, price_micro, list_micro, discount_percent, fingerprint, mark, tag,
      'held', ${LEASE_UNTIL}
    from opened o join vouched v on v.charge_id = o.id
    returning id
  )
  select o.place from opened o join made m on m.id = o.id`;

/**
 * Charges calls and raises the totals of their channels. A by-use call costs its use, and never more than its voucher
 * covers.
 */
export const CHARGE_MANY = `
  with used as (
    select distinct on (id) * from unnest($1::text[], $2::bigint[], $3::text[], $4::smallint[], $5::bytea[],
      $6::integer[], $7::bigint[], $8::integer[], $9::integer[])
    with ordinality as u (id, micro, job_id, status, answer, seconds, billed, input_tokens, output_tokens, place) order by id, place
  ), ready as (
    select u.*, case when c.operation = '${OPERATION.byUse}' then least(c.price_micro, coalesce(u.micro, c.price_micro))
      else c.price_micro end as price
    from charge c join used u on u.id = c.id
    where c.state = 'held' and c.rail = 'channel' order by c.id for update of c
  ), locked as (
    select c.id, c.open_charge_id from channel c join ready r on r.id = c.open_charge_id order by c.id for update of c
  ), grown as (
    update channel c set charged_micro = c.charged_micro + r.price, signed_micro = c.open_signed_micro,
      signature = c.open_signature, open_charge_id = null, open_signed_micro = null, open_signature = null, used_at = now()
    from ready r join locked l on l.open_charge_id = r.id where c.id = l.id
    returning c.id as channel_id, c.network, r.id, c.charged_micro, c.balance_micro, c.claimed_micro, c.withdraw_requested_at,
      c.refund_nonce
  ), moved as (
    update charge c set state = 'charged', settled_at = now(), lease_until = null, price_micro = r.price,
      billed_micro = r.billed, input_tokens = r.input_tokens, output_tokens = r.output_tokens, job_id = coalesce(r.job_id, c.job_id), ${DECIDED}
    from ready r join grown g on g.id = r.id where c.id = r.id
    returning c.id
  ), ${EVENT_CHARGED}, vouched as (
    update channel_voucher v set total_micro = g.charged_micro from grown g where v.charge_id = g.id
  ), kept as (
    insert into replay (charge_id, status, answer, expires_at)
    select r.id, status, answer, now() + seconds * interval '1 second' from ready r join moved m on m.id = r.id
    where answer is not null
    on conflict (charge_id) do nothing
  )
  select r.place, r.price::text as price, g.channel_id, g.network, g.charged_micro::text as charged, g.balance_micro::text as balance,
    g.claimed_micro::text as claimed, g.withdraw_requested_at::text as withdraw_requested_at,
    g.refund_nonce::text as refund_nonce, pg_notify('charge_moved', r.id)
  from ready r join grown g on g.id = r.id`;

/** Releases a call whose work certainly did not happen: its voucher is void, and the next call may run. */
export const RELEASE = `
  with moved as (
    update charge set state = 'released', lease_until = null, ${DECIDED}
    where id = $1 and state = 'held' and rail = 'channel'
    returning id
  ), locked as (
    select c.id from channel c join moved m on m.id = c.open_charge_id for update of c
  ), freed as (
    update channel c set open_charge_id = null, open_signed_micro = null, open_signature = null
    from locked l where c.id = l.id
  )
  select id, pg_notify('charge_moved', id) from moved`;

/** Whether the claims of a charge's channel cover the charge. */
const IS_CLAIMED = `exists (
  select from channel_voucher v join channel h on h.id = v.channel_id
  where v.charge_id = charge.id and h.claimed_micro >= v.total_micro)`;

/**
 * Refunds a call whose work failed after its charge. The total of a channel never falls, so the wallet's balance gets
 * the amount, once. Before the claim nothing is credited, because the money may still not arrive.
 */
export const CREDIT_LATE_FAILURE = `
  with moved as (
    update charge set state = 'refunded', refunded_at = now()
    where id = $1 and rail = 'channel' and state = 'charged' and ${IS_CLAIMED}
    returning *
  ), ${EVENT_REFUNDED}, incoming as (
    select '${WALLETS}:' || m.payer as account_id, 'refund' as kind, m.price_micro as amount_micro, null as source,
      m.id as charge_id, m.model_id, null as transaction, null as network
    from moved m
  ), ${CREDIT_INCOMING}
  select id, pg_notify('charge_moved', id) from moved`;

/**
 * Whether the refund of a charge waits for the claim. It does not ask for the claim again: a claim that came after the
 * refund was tried would end the wait without a refund.
 */
export const WAITS_FOR_CLAIM = `
  select exists (select from charge where id = $1 and rail = 'channel' and state = 'charged') as waits`;

/**
 * Mirrors the chain. A new row begins with the total claimed on the chain, because nothing else proves a charge. If the
 * row has a later state than the given state, nothing changes. A debt that is claimed ends the consequences of a refusal.
 */
export const MIRROR = named(`
  insert into channel as c (id, network, payer, payer_authorizer, receiver, receiver_authorizer, token, withdraw_delay, salt,
    payer_proven, base_micro, charged_micro, signed_micro, balance_micro, claimed_micro, withdraw_requested_at, refund_nonce,
    synced_at)
  values (:id, :network, :payer, :payerAuthorizer, :receiver, :receiverAuthorizer, :token, :withdrawDelay, :salt,
    :payerProven, :claimed, :claimed, :claimed, :balance, :claimed, :withdrawRequestedAt, :refundNonce,
    now() - :ageMs * interval '1 millisecond')
  on conflict (id) do update set payer_proven = c.payer_proven or excluded.payer_proven,
    balance_micro = excluded.balance_micro, claimed_micro = excluded.claimed_micro,
    withdraw_requested_at = excluded.withdraw_requested_at, refund_nonce = excluded.refund_nonce,
    synced_at = excluded.synced_at,
    claim_failures = case when excluded.claimed_micro >= c.charged_micro then 0 else c.claim_failures end,
    claim_refused_at = case when excluded.claimed_micro < c.charged_micro then c.claim_refused_at end,
    refund_until = case when excluded.refund_nonce > c.refund_nonce then null else c.refund_until end
  where excluded.synced_at >= c.synced_at
  returning ${CHANNELS.columns}`);

/** For a channel whose row has a newer state than the one that was read. */
export const PROVE_PAYER = `
  update channel set payer_proven = payer_proven or $2 where id = $1 returning ${CHANNELS.columns}`;

/**
 * Raises the total of a channel to its claims, after the database was restored to an earlier time. A voucher below the
 * new total no longer proves that total, so its signature is removed.
 */
export const REBUILD = `
  update channel set base_micro = base_micro + claimed_micro - charged_micro, charged_micro = claimed_micro,
    signed_micro = greatest(signed_micro, claimed_micro),
    signature = case when signed_micro >= claimed_micro then signature end
  where id = $1 and claimed_micro > charged_micro and open_charge_id is null`;

/** One channel, with two values that need the database's clock. */
export const FIND = `
  select ${CHANNELS.columns}, ${IS_FRESH} as is_fresh, coalesce(c.refund_until > now(), false) as is_refunding
  from channel c where id = $1`;

/** For each voucher, the newest charge that the voucher paid and that was not released. */
export const EARLIER_MANY = `
  select w.place, found.id
  from unnest($1::text[], $2::bigint[], $3::bytea[]) with ordinality as w (channel_id, signed_micro, fingerprint, place)
  cross join lateral (
    select c.id from channel_voucher v join charge c on c.id = v.charge_id
    where v.channel_id = w.channel_id and v.signed_micro = w.signed_micro and c.fingerprint = w.fingerprint
      and c.state <> 'released'
    order by c.created_at desc limit 1
  ) found`;

/** The present channel of a charge, with the price of its call and the channel's total after that call. */
export const OF_CHARGE = `
  with paid as (
    select v.channel_id, v.total_micro::text as total, g.price_micro::text as price
    from channel_voucher v join charge g on g.id = v.charge_id
    where v.charge_id = $1 and g.state in ('charged', 'refunded')
  )
  select ${CHANNELS.columns}, total, price from channel join paid on channel_id = id`;

/** Blocks calls during a refund. Returns no row if a call or another refund runs, or if nothing is left to refund. */
export const BEGIN_REFUND = `
  update channel c set refund_until = now() + interval '15 minutes'
  where c.id = $1 and c.open_charge_id is null and (c.refund_until is null or c.refund_until < now())
    and c.balance_micro > c.charged_micro
  returning ${CHANNELS.columns}`;

/** Allows calls again after a refund that certainly did not happen. */
export const END_REFUND = `update channel set refund_until = null where id = $1`;

export const RECORD = `
  insert into channel_transaction (hash, kind, channel_id, network, channels, amount_micro)
  values (lower($1), $2, $3, $4, $5, $6) on conflict (hash, kind) do nothing`;

/**
 * A debt that may never be paid: the payer withdraws, a claim was refused, or the balance is too small. Or only another
 * service can sign the claim. `$1` and `$2` are our networks and their signing wallets.
 */
const AT_RISK = `(charged_micro > claimed_micro
  and ((network, receiver_authorizer) not in (select * from unnest($1::text[], $2::text[]))
    or withdraw_requested_at > 0 or charged_micro > balance_micro or claim_refused_at is not null))`;

/** The sums of all channels on each network. `at_risk` is the debt that we can't claim, or whose payer withdraws. */
export const SUMS = `
  select network, count(*) filter (where balance_micro > claimed_micro)::integer as open,
    coalesce(sum(greatest(charged_micro - claimed_micro, 0)), 0)::text as owed,
    coalesce(sum(greatest(least(claimed_micro, charged_micro) - base_micro, 0)), 0)::text as claimed,
    coalesce(sum(charged_micro - claimed_micro) filter (where ${AT_RISK}), 0)::text as at_risk,
    coalesce(sum(balance_micro - greatest(charged_micro, claimed_micro)) filter (
      where balance_micro > greatest(charged_micro, claimed_micro)), 0)::text as unspent
  from channel group by network`;

export const LAST_CLAIMS = `
  select distinct on (network) network, created_at as at, hash as transaction
  from channel_transaction where kind = 'claim' order by network, created_at desc`;

/** Channels in the order of their ids, after `$3`. */
export const PAGE = `
  select * from channel
  where ($3::text is null or id > $3) and case $4::text
    when 'open' then balance_micro > claimed_micro
    when 'owed' then charged_micro > claimed_micro
    when 'at_risk' then ${AT_RISK}
    else true end
  order by id limit $5`;

/** The amounts by which totals of channels contradict their charges or the chain. */
export const DRIFT = `
  select coalesce(sum(abs(c.charged_micro - c.base_micro - v.total)) + sum(greatest(c.claimed_micro - c.charged_micro, 0)), 0)
    ::text as drift
  from channel c cross join lateral (
    select coalesce(sum(g.price_micro), 0) as total from channel_voucher v join charge g on g.id = v.charge_id
    where v.channel_id = c.id and g.state in ('charged', 'refunded')) v
  where c.used_at > now() - interval '1 hour' or mod(abs(hashtext(c.id)), 60) = $1`;
