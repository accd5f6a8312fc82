import { ItemColumns } from '#platform/database/batch-rows';
import { DECIDED, EVENT_CHARGED, EVENT_REFUNDED, EVENT_TOPPED_UP } from '#notices/outbox/event.sql';
import type { ChargeDraft } from '../charges/charge';
import { LEASE_UNTIL } from '../charges/lease';
import { OPERATION } from '../charges/operation';

/**
 * The money statements. Each statement is atomic: it checks the condition and writes the charge and the ledger entry
 * together, or writes nothing. All statements take locks in one order (charge, reserves of keys by id, accounts by id,
 * entries), so they can't deadlock.
 */

/** The columns of a charge, with the person of a session and the budget of a member that the call counts against. */
const WRITTEN_COLUMNS = `id, rail, operation, payer, account_id, key_id, model_id, price_micro, list_micro,
  discount_percent, fingerprint, mark, tag, person_id, budget_id`;

/** The keys and the budget that a call counts against, separated by commas. */
const countedBy = ({ key, budgetId }: ChargeDraft): string | undefined =>
  key === undefined || budgetId === undefined ? (key?.counted ?? budgetId) : `${key.counted},${budgetId}`;

/** `reserve_id` is the key whose reserve pays. `proof` is the proof of the payer. Equal calls have the same `caller`. */
export const DRAFTS = new ItemColumns<ChargeDraft>({
  id: ['text', ({ id }) => id],
  rail: ['text', ({ rail }) => rail],
  operation: ['text', ({ operation }) => operation],
  payer: ['text', ({ payer }) => payer],
  account_id: ['text', ({ accountId }) => accountId],
  key_id: ['text', ({ key }) => key?.id],
  model_id: ['text', ({ modelId }) => modelId],
  price_micro: ['bigint', ({ price }) => price],
  list_micro: ['bigint', ({ list }) => list],
  discount_percent: ['smallint', ({ discountPercent }) => discountPercent],
  fingerprint: ['bytea', ({ fingerprint }) => fingerprint],
  mark: ['text', ({ mark }) => mark],
  tag: ['text', ({ tag }) => tag],
  counted: ['text', countedBy],
  reserve_id: ['text', ({ key }) => key?.reserveId],
  proof: ['text', ({ proof }) => proof],
  caller: ['text', ({ same }) => same?.caller],
  arrived_at: ['timestamptz', ({ same }) => same?.arrivedAt],
  retry_id: ['text', ({ same }) => same?.retryId],
  person_id: ['text', ({ personId }) => personId],
  budget_id: ['text', ({ budgetId }) => budgetId],
});

/** The sent drafts whose payer may still pay. One check serves many calls of one payer. */
const DRAFTED = `
  ended as materialized (
    select proof from (select distinct proof from sent where proof is not null) as proofs where not payer_lives(proof)
  ), drafted as materialized (
    select * from sent where proof is null or proof not in (select proof from ended)
  )`;

/**
 * The write to an account contains this check, so Postgres runs it after the wait for the account's row. The check
 * raises LP002 if one of the account's payers has ended meanwhile.
 */
const livingOn = (account: string): string =>
  `payers_live_on(array(select distinct proof from drafted where account_id = ${account} and proof is not null)) as lives`;

/**
 * The write to an account contains this check, too. It raises LP009 or LP010 if an equal call is charged instead of the
 * call. A call that has just arrived skips the check, because no client retries immediately.
 */
const onlyOneOf = (account: string): string => `(
    select bool_and(
      call_stays_one(caller, payer, case when caller <> payer then key_id end, fingerprint, arrived_at, retry_id))
    from drafted where account_id = ${account} and caller is not null
      and (retry_id is not null or arrived_at < clock_timestamp() - interval '100 milliseconds')
  ) as stays_one`;

/** The end of each hold statement: a draft whose payer has ended has no balance. */
const REFUSED_TO_ENDED = `
  select id, null::bigint as balance from sent where proof in (select proof from ended)`;

/**
 * Adds prices to `key_spend`. Triggers on this table enforce the limits of keys (`key_stays_within_limit`, LP001) and
 * the budgets of members (`budget_is_kept`, LP012). The write locks today's row, so concurrent calls can't exceed a
 * limit. A call counts against its key, the keys above it, and the budget of the member who made the key or has the
 * session.
 */
const SPEND = `
  spend as (
    insert into key_spend as k (key_id, day, spent_micro, calls)
    select level, (now() at time zone 'utc')::date, sum(price_micro), count(*)
    from drafted, unnest(string_to_array(counted, ',')) as level
    where account_id in (select id from paid) group by level order by level
    on conflict (key_id, day) do update
    set spent_micro = k.spent_micro + excluded.spent_micro, calls = k.calls + excluded.calls, last_at = now()
  )`;

/**
 * The rows of `key_spend` that count a charge: the rows of its key `k` and the keys above, if any, and of its budget.
 */
const COUNTED = (charge: string): string =>
  `array_remove(k.counted_above || k.id || ${charge}.budget_id, null)`;

const INSERT_HELD = `
  held as (
    insert into charge (${WRITTEN_COLUMNS}, state, lease_until)
    select ${WRITTEN_COLUMNS}, 'held', ${LEASE_UNTIL} from drafted where account_id in (select id from paid)
    returning id
  )`;

/** The values of `HOLD_ONE` that it uses again. */
const [ACCOUNT, PRICE, RESERVE] = [
  DRAFTS.value('account_id'),
  DRAFTS.value('price_micro'),
  DRAFTS.value('reserve_id'),
];

/**
 * Holds one call. No row means that the balance does not cover the price. A row without a balance means that the payer
 * has ended.
 */
export const HOLD_ONE = `
  with sent as (
    select ${DRAFTS.row}
  ), ${DRAFTED}, drawn as (
    update key_reserve set left_micro = left_micro - ${PRICE}
    where key_id = ${RESERVE} and ended_at is null and left_micro >= ${PRICE} and exists (select from drafted)
    returning key_id
  ), paid as (
    update ledger_account set balance_micro = balance_micro - ${PRICE}, last_seq = last_seq + 1,
      reserved_micro = reserved_micro - case when ${RESERVE} is null then 0 else ${PRICE} end
    where id = ${ACCOUNT} and exists (select from drafted)
      and case when ${RESERVE} is null then balance_micro - reserved_micro >= ${PRICE} else exists (select from drawn) end
    returning id, balance_micro, last_seq, ${livingOn('ledger_account.id')},
      ${onlyOneOf('ledger_account.id')}
  ), ${INSERT_HELD}, ${SPEND}, entry as (
    insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id, model_id)
    select paid.id, paid.last_seq, 'debit', price_micro, paid.balance_micro, drafted.id, model_id
    from drafted, paid
    returning charge_id, balance_after_micro
  )
  select charge_id as id, balance_after_micro as balance from entry
  union all ${REFUSED_TO_ENDED}`;

/**
 * Adds up the amounts that many calls need from reserves and accounts, and locks these rows in order. The write itself
 * checks the balance, because a value read with the lock can be of an older row version.
 */
const DRAFTED_MANY = `
  with sent as (
    select * from ${DRAFTS.table('draft')}
  ), ${DRAFTED}, wanted as (
    select account_id, sum(price_micro)::bigint as total, count(*) as calls,
      coalesce(sum(price_micro) filter (where reserve_id is null), 0)::bigint as of_free
    from drafted group by account_id
  ), from_reserves as (
    select reserve_id, account_id, sum(price_micro)::bigint as total
    from drafted where reserve_id is not null group by reserve_id, account_id
  ), reserves as (
    select key_id, left_micro from key_reserve
    where key_id in (select reserve_id from from_reserves) and ended_at is null order by key_id for update
  ), short as (
    select q.account_id from from_reserves q left join reserves r on r.key_id = q.reserve_id
    where r.left_micro is null or r.left_micro < q.total
  ), locked as (
    select a.id from ledger_account a
    where a.id in (select account_id from wanted) and (select count(*) from reserves) is not null
      and a.id not in (select account_id from short)
    order by a.id for update
  )`;

/** Takes the amounts of the calls out of the reserves. */
const DRAWN = `
  drawn as (
    update key_reserve r set left_micro = r.left_micro - q.total
    from from_reserves q join paid p on p.id = q.account_id where r.key_id = q.reserve_id
  )`;

/**
 * Holds many calls of any accounts. If an account can't pay all its calls, the statement leaves out all of them. The
 * service then tries each of these calls alone.
 */
export const HOLD_MANY = `
  ${DRAFTED_MANY}, paid as (
    update ledger_account a set balance_micro = a.balance_micro - w.total, last_seq = a.last_seq + w.calls,
      reserved_micro = a.reserved_micro - (w.total - w.of_free)
    from wanted w join locked l on l.id = w.account_id
    where a.id = w.account_id and a.balance_micro - a.reserved_micro >= w.of_free
    returning a.id, a.balance_micro, a.last_seq, w.total, w.calls, ${livingOn('a.id')},
      ${onlyOneOf('a.id')}
  ), ${DRAWN}, ${INSERT_HELD}, ${SPEND}, entry as (
    insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id, model_id)
    select p.id, p.last_seq - p.calls + row_number() over chain, 'debit', d.price_micro,
      p.balance_micro + p.total - (sum(d.price_micro) over chain)::bigint, d.id, d.model_id
    from drafted d join paid p on p.id = d.account_id
    window chain as (partition by d.account_id order by d.place)
    returning charge_id, balance_after_micro
  )
  select charge_id as id, balance_after_micro as balance from entry
  union all ${REFUSED_TO_ENDED}`;

const CHARGED = `state = 'charged', settled_at = now(), lease_until = null, ${DECIDED}`;

/** Settles one held charge and stores its answer. No row means that another process has decided the charge. */
export const SETTLE_ONE = `
  with moved as (
    update charge set ${CHARGED} where id = $1::text and state = 'held' returning id
  ), kept as (
    insert into replay (charge_id, status, answer, expires_at)
    select id, $2::smallint, $3::bytea, now() + $4::integer * interval '1 second' from moved where $3::bytea is not null
    on conflict (charge_id) do nothing
  )
  select case when $5::boolean then pg_notify('charge_moved', id) end from moved`;

/** Settles many held charges. If several items name one charge, the statement uses the first. `place` is its index. */
const settleMany = (events: string): string => `
  with settled as (
    select distinct on (id) * from unnest($1::text[], $2::smallint[], $3::bytea[], $4::integer[], $5::boolean[], $6::text[])
    with ordinality as s (id, status, answer, seconds, watched, job_id, place) order by id, place
  ), moved as (
    update charge c set ${CHARGED}, job_id = coalesce(s.job_id, c.job_id)
    from settled s where c.id = s.id and c.state = 'held'
    returning c.id
  ), ${events} kept as (
    insert into replay (charge_id, status, answer, expires_at)
    select s.id, s.status, s.answer, now() + s.seconds * interval '1 second' from settled s join moved m on m.id = s.id
    where s.answer is not null
    on conflict (charge_id) do nothing
  )
  select s.place, case when s.watched then pg_notify('charge_moved', m.id) end
  from moved m join settled s on s.id = m.id`;

export const SETTLE_MANY = settleMany('');

/**
 * Settles many held charges and writes the events of their jobs. `SETTLE_JOBS` is slower by a fifth, so charges without
 * a job use `SETTLE_MANY`.
 */
export const SETTLE_JOBS = settleMany(`${EVENT_CHARGED},`);

/** Reserves the worst cases of by-use calls. Reserved money can't be spent twice. */
export const RESERVE_MANY = `
  ${DRAFTED_MANY}, paid as (
    update ledger_account a set reserved_micro = a.reserved_micro + w.of_free
    from wanted w join locked l on l.id = w.account_id
    where a.id = w.account_id and a.balance_micro - a.reserved_micro >= w.of_free
    returning a.id, a.balance_micro - a.reserved_micro as free, w.of_free, ${livingOn('a.id')},
      ${onlyOneOf('a.id')}
  ), ${DRAWN}, ${INSERT_HELD}, ${SPEND}
  (select d.id, p.free + p.of_free
    - coalesce((sum(d.price_micro) filter (where d.reserve_id is null) over chain), 0)::bigint as balance
  from drafted d join paid p on p.id = d.account_id
  window chain as (partition by d.account_id order by d.place))
  union all ${REFUSED_TO_ENDED}`;

/**
 * The limits of keys and budgets count only the present day and month. A charge of an earlier day or month must not grow
 * without its limit.
 */
const KEEPS_LIMITS = `(
  (c.created_at at time zone 'utc')::date = (now() at time zone 'utc')::date or not exists (
    select from unnest(${COUNTED('c')}) as level
    left join api_key l on l.id = level left join member_budget b on b.id = level
    where l.day_limit_micro is not null or (coalesce(l.month_limit_micro, b.month_micro) is not null
      and date_trunc('month', c.created_at at time zone 'utc') < date_trunc('month', now() at time zone 'utc'))))`;

/**
 * Reserves the amount $2 for a by-use call, at most its list price. A repetition reserves nothing more. No row means that
 * the payer has too little or has ended, or that the charge is decided. The limits of keys and budgets count the amount
 * on the day of the call.
 */
export const EXTEND_ONE = `
  with open as (
    select c.id, c.account_id, ${COUNTED('c')} as counted, k.reserve_id, (c.created_at at time zone 'utc')::date as day,
      greatest(least($2::bigint, c.list_micro) - c.price_micro, 0) as more
    from charge c left join api_key k on k.id = c.key_id
    where c.id = $1::text and c.state = 'held' and c.operation = '${OPERATION.byUse}' and c.account_id is not null
      and ($3::text is null or payer_lives($3::text)) and ${KEEPS_LIMITS}
    for update of c
  ), drawn as (
    update key_reserve r set left_micro = r.left_micro - o.more
    from open o where r.key_id = o.reserve_id and r.ended_at is null and r.left_micro >= o.more
    returning r.key_id
  ), paid as (
    update ledger_account a set reserved_micro = a.reserved_micro + case when o.reserve_id is null then o.more else 0 end
    from open o
    where a.id = o.account_id and case when o.reserve_id is null then a.balance_micro - a.reserved_micro >= o.more
      else exists (select from drawn) end
    returning a.id
  ), spend as (
    update key_spend s set spent_micro = s.spent_micro + o.more
    from open o, paid where s.key_id = any(o.counted) and s.day = o.day
  )
  update charge c set price_micro = c.price_micro + o.more from open o, paid where c.id = o.id
  returning c.price_micro as held`;

/**
 * Debits the real use of by-use calls, one debit for each call. It also frees the rest of the reserved money, and
 * stores whole answers. If several items name one charge, the statement uses the first.
 */
export const CAPTURE_MANY = `
  with used as (
    select distinct on (id) * from unnest($1::text[], $2::bigint[], $3::smallint[], $4::bytea[], $5::integer[], $6::bigint[], $7::integer[],
      $8::integer[])
    with ordinality as u (id, micro, status, answer, seconds, billed, input_tokens, output_tokens, place) order by id, place
  ), open as (
    select c.id, c.account_id, ${COUNTED('c')} as counted, k.reserve_id, c.model_id, c.price_micro as worst,
      least(c.price_micro, u.micro) as used, (c.created_at at time zone 'utc')::date as day, u.status, u.answer, u.seconds,
      u.billed, u.input_tokens, u.output_tokens, u.place
    from charge c join used u on u.id = c.id left join api_key k on k.id = c.key_id
    where c.state = 'held' and c.operation = '${OPERATION.byUse}' order by c.id for update of c
  ), moved as (
    update charge c set billed_micro = open.billed, price_micro = open.used, input_tokens = open.input_tokens,
      output_tokens = open.output_tokens, ${CHARGED}
    from open where c.id = open.id
  ), reserves as (
    select key_id from key_reserve
    where key_id in (select reserve_id from open) and ended_at is null order by key_id for update
  ), taken as (
    select account_id, sum(used)::bigint as used, count(*) as calls,
      sum(case when r.key_id is null then worst else used end)::bigint as freed
    from open left join reserves r on r.key_id = open.reserve_id group by account_id
  ), kept_aside as (
    update key_reserve r set left_micro = r.left_micro + o.rest
    from (select reserve_id, sum(worst - used)::bigint as rest from open group by reserve_id) o, reserves
    where r.key_id = o.reserve_id and reserves.key_id = r.key_id
  ), locked as (
    select id from ledger_account where id in (select account_id from taken) order by id for update
  ), paid as (
    update ledger_account a set balance_micro = a.balance_micro - t.used,
      reserved_micro = a.reserved_micro - t.freed, last_seq = a.last_seq + t.calls
    from taken t join locked l on l.id = t.account_id where a.id = t.account_id
    returning a.id, a.balance_micro, a.last_seq, a.balance_micro - a.reserved_micro as free, t.used, t.calls
  ), entry as (
    insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id, model_id)
    select p.id, p.last_seq - p.calls + row_number() over chain, 'debit', o.used,
      p.balance_micro + p.used - (sum(o.used) over chain)::bigint, o.id, o.model_id
    from open o join paid p on p.id = o.account_id
    window chain as (partition by o.account_id order by o.place)
  ), unspent as (
    update key_spend k set spent_micro = k.spent_micro - freed.micro
    from (select level, day, sum(worst - used)::bigint as micro from open, unnest(counted) as level group by level, day)
      as freed
    where k.key_id = freed.level and k.day = freed.day
  ), kept as (
    insert into replay (charge_id, status, answer, expires_at)
    select id, status, answer, now() + seconds * interval '1 second' from open where answer is not null
  )
  select o.place, p.free as balance, case when o.answer is not null then pg_notify('charge_moved', o.id) end
  from open o join paid p on p.id = o.account_id`;

/**
 * Reverses a debit, once. The statement copies the amount of the debit, so it can't refund more. `from` and `to` name
 * the state change. Money from a key's reserve returns to the reserve while the key lives.
 */
const reversal = (from: string, to: string): string => `
  with moved as (
    update charge set state = '${to}', lease_until = null, ${to === 'refunded' ? 'refunded_at = now()' : DECIDED}
    where id = $1 and state = '${from}' and account_id is not null
    returning *
  ), ${to === 'refunded' ? `${EVENT_REFUNDED}, ` : ''}debited as (
    select m.id, e.account_id, e.amount_micro, e.model_id, m.key_id, m.created_at
    from moved m join ledger_entry e on e.charge_id = m.id and e.kind = 'debit'
  ), payer_key as (
    select k.reserve_id, ${COUNTED('m')} as counted from moved m left join api_key k on k.id = m.key_id
  ), reserve as (
    update key_reserve r set left_micro = r.left_micro + m.price_micro
    from moved m, payer_key k where r.key_id = k.reserve_id and r.ended_at is null
    returning m.price_micro as micro
  ), repaid as (
    update ledger_account a set balance_micro = a.balance_micro + d.amount_micro, last_seq = a.last_seq + 1,
      reserved_micro = a.reserved_micro + coalesce((select micro from reserve), 0)
    from debited d where a.id = d.account_id
    returning a.id, a.balance_micro, a.last_seq
  ), entry as (
    insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id, model_id)
    select r.id, r.last_seq, 'refund', d.amount_micro, r.balance_micro, d.id, d.model_id
    from debited d join repaid r on r.id = d.account_id
    returning balance_after_micro
  ), freed as (
    update ledger_account a set
      reserved_micro = a.reserved_micro - (m.price_micro - coalesce((select micro from reserve), 0))
    from moved m where m.operation = '${OPERATION.byUse}' and '${from}' = 'held' and a.id = m.account_id
    returning a.id, a.balance_micro - a.reserved_micro as free
  ), unspent as (
    update key_spend k set spent_micro = k.spent_micro - m.price_micro
    from moved m, payer_key p where k.key_id = any(p.counted) and k.day = (m.created_at at time zone 'utc')::date
  )
  select moved.id, coalesce(entry.balance_after_micro, freed.free) as balance,
    case when moved.mark is not null then pg_notify('charge_moved', moved.id) end
  from moved left join entry on true left join freed on true`;

export const RELEASE_ONE = reversal('held', 'released');
export const REFUND_ONE = reversal('charged', 'refunded');

/**
 * The end of each statement that credits money without an earlier debit. Its `incoming` rows (account, kind, amount,
 * names of the entry) may name accounts that do not exist yet.
 */
export const CREDIT_INCOMING = `
  credited as (
    insert into ledger_account as a (id, balance_micro, last_seq)
    select account_id, amount_micro, 1 from incoming
    on conflict (id) do update
    set balance_micro = a.balance_micro + excluded.balance_micro, last_seq = a.last_seq + 1
    returning id, balance_micro, last_seq
  ), entry as (
    insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source, charge_id, model_id,
      transaction)
    select c.id, c.last_seq, i.kind, i.amount_micro, c.balance_micro, i.source, i.charge_id, i.model_id, i.transaction
    from credited c join incoming i on i.account_id = c.id
    returning balance_after_micro
  ), ${EVENT_TOPPED_UP}`;

/** Credits money from outside. The unique source prevents a second credit of the same payment. */
export const CREDIT_TOP_UP = `
  with incoming as (
    select $1::text as account_id, 'top_up' as kind, $2::bigint as amount_micro, $3::text as source,
      null as charge_id, null as model_id, $4::text as transaction, null as network
  ), ${CREDIT_INCOMING}
  select balance_after_micro as balance from entry`;

/**
 * Takes money for a module, without a charge. The unique source prevents a second debit. No row means that there is too
 * little money, or that the source was already debited.
 */
export const DEBIT_FOR_MODULE = `
  with paid as (
    update ledger_account a set balance_micro = a.balance_micro - $2::bigint, last_seq = a.last_seq + 1
    where a.id = $1::text and a.balance_micro - a.reserved_micro >= $2::bigint
      and not exists (select from ledger_entry where source = $3::text)
    returning a.id, a.balance_micro, a.last_seq, a.balance_micro - a.reserved_micro as free
  ), entry as (
    insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source)
    select id, last_seq, 'debit', $2::bigint, balance_micro, $3::text from paid
  )
  select free as balance from paid`;

export const MODULE_DEBIT = `
  select account_id as id, amount_micro as amount from ledger_entry where source = $1::text`;
