import { ENDINGS, type EndedType } from './event-types';

/**
 * Parts of the statements that change facts: they write the events in the same statement. `data` is the object's row at
 * that time, without private fields. The presenter of the object makes the answer from it.
 */

const idOf = (type: EndedType, id: string): string =>
  `'evt_' || substr(${id}, strpos(${id}, '_') + 1) || '${ENDINGS[type]}'`;

const jobData = (job: string): string =>
  `to_jsonb(${job}) - array['provider', 'provider_model', 'provider_ref', 'poll_at', 'deadline_at', 'settled_late',
    'charge_id', 'owner', 'cancel_asked_at']
    || jsonb_build_object('key_id', (select c.key_id from charge c where c.id = ${job}.charge_id))`;

/** The fields of a charge's row for its owner. */
const chargeData = (charge: string): string =>
  `to_jsonb(${charge}) - array['fingerprint', 'mark', 'lease_until', 'account_id', 'billed_micro', 'decided', 'budget_id']
    || case ${charge}.rail
      when 'x402' then coalesce((select jsonb_build_object('transaction', p.tx_hash, 'network', p.network)
        from x402_payment p where p.charge_id = ${charge}.id), '{"transaction":null}')
      when 'channel' then coalesce((select jsonb_build_object('network', n.network)
        from channel_voucher v join channel n on n.id = v.channel_id where v.charge_id = ${charge}.id), '{}')
      else '{}' end`;

/**
 * For statements that charge. A job has no events before its charge. So this part writes the job's events so far, and
 * the statements that end jobs write the rest. Both lock the charge first and the job after it, so that one of them
 * always writes. `moved` are the charges, with their ids. The provider of a job is stored only while it runs, because
 * it shows whether the job can be cancelled.
 */
export const EVENT_CHARGED = `
  work as materialized (
    select j.* from moved m join job j on j.charge_id = m.id order by j.id for no key update of j
  ), written as (
    insert into event (id, owner, type, data)
    select ${idOf('job.accepted', 'work.id')}, owner, 'job.accepted', ${jobData('work')}
      || jsonb_build_object('provider', provider, 'provider_ref', provider_ref,
        'rail', (select c.rail from charge c where c.id = work.charge_id))
      || '{"status":"running","media_id":null,"further_media_ids":null,"error_code":null,"finished_at":null,"progress":0}'
    from work
    union all
    select ${idOf('job.done', 'work.id')}, owner, 'job.done', ${jobData('work')} from work where status = 'done'
    union all
    select ${idOf('job.failed', 'work.id')}, owner, 'job.failed', ${jobData('work')} from work where status = 'failed'
    on conflict (id) do nothing
  )`;

/** Locks the charge of a job before the job ends. `$1` is the job. */
export const LOCK_CHARGE = `
  money as materialized (
    select c.id, c.state from charge c where c.id = (select charge_id from job where id = $1) for no key update
  )`;

/** For statements that end jobs. `ended` are the rows of the jobs. */
export const EVENT_ENDED = `
  written as (
    insert into event (id, owner, type, data)
    select case e.status when 'done' then ${idOf('job.done', 'e.id')} else ${idOf('job.failed', 'e.id')} end, e.owner,
      'job.' || e.status, ${jobData('e')}
    from ended e, money where money.state = 'charged'
    on conflict (id) do nothing
  )`;

/** For statements that refund. `moved` are the charges. */
export const EVENT_REFUNDED = `
  written as (
    insert into event (id, owner, type, data)
    select ${idOf('charge.refunded', 'm.id')}, m.payer, 'charge.refunded', ${chargeData('m')} from moved m
    on conflict (id) do nothing
  )`;

/**
 * For the statement that stores a reference's first vector. A reference in `seen` gets an event only for its first
 * vector.
 */
export const EVENT_SEARCHABLE = `
  written as (
    insert into event (id, owner, type, data)
    select ${idOf('reference.ready', 's.id')}, s.owner, 'reference.ready', jsonb_build_object('id', s.id, 'owner', s.owner,
      'kind', s.kind, 'mime', s.mime, 'bytes', s.bytes, 'label', s.label, 'created_at', s.created_at)
    from seen s where s.is_first and s.vector is not null
    on conflict (id) do nothing
  )`;

/** For statements that credit money from outside: `incoming` names the source, `credited` is the account after it. */
export const EVENT_TOPPED_UP = `
  topped_up as (
    insert into event (id, owner, type, data)
    select 'evt_' || md5(i.source) || '${ENDINGS['balance.topped_up']}', substr(c.id, strpos(c.id, ':') + 1), 'balance.topped_up',
      jsonb_strip_nulls(jsonb_build_object('amountMicro', i.amount_micro, 'balanceMicro', c.balance_micro,
        'transaction', i.transaction, 'network', i.network))
    from incoming i join credited c on c.id = i.account_id where i.kind = 'top_up'
    on conflict (id) do nothing
  )`;

/** The transaction that decides a charge. It is set with the state, so no event row is needed. */
export const DECIDING = `pg_current_xact_id()::text::bigint`;
export const DECIDED = `decided = ${DECIDING}`;

/** `charge.charged` and `charge.released` as rows of the log. */
export const DECIDED_CHARGES = `
  select case state when 'released' then ${idOf('charge.released', 'id')} else ${idOf('charge.charged', 'id')} end as id,
    payer as owner, case state when 'released' then 'charge.released' else 'charge.charged' end as type,
    ${chargeData('charge')} || case state when 'released' then '{}' else '{"state":"charged","refunded_at":null}'::jsonb end
      as data,
    settled_at as created_at, decided as written
  from charge`;
