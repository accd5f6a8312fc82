import { IS_DUE, joinPauses } from '#platform/queue/sweep-pause.repository';

/** The name of the sweep over reserves of ended keys, for its pauses. */
export const RESERVE_ENDS = 'reserve ends';

/**
 * The reserve of a key is neither a debit nor an entry: it only reduces the money that others may spend. If a key above
 * has a reserve, the money comes out of that reserve. The statements lock rows in the order of all money statements.
 */

/**
 * Makes a reserve. No row means that there is too little money, or that the reserve exists already. $5 is the key from
 * whose reserve the money comes.
 */
export const SET_ASIDE = `
  with drawn as (
    update key_reserve set left_micro = left_micro - $3::bigint
    where key_id = $5::text and ended_at is null and left_micro >= $3::bigint
    returning key_id
  ), taken as (
    update ledger_account set reserved_micro = reserved_micro + case when $5::text is null then $3::bigint else 0 end
    where id = $2::text and case when $5::text is null then balance_micro - reserved_micro >= $3::bigint
      else exists (select from drawn) end
    returning id
  ), counted as (
    insert into key_spend as k (key_id, day, spent_micro, calls)
    select level, (now() at time zone 'utc')::date, $3::bigint, 0 from taken, unnest($4::text[]) as level order by level
    on conflict (key_id, day) do update set spent_micro = k.spent_micro + excluded.spent_micro
  )
  insert into key_reserve (key_id, account_id, left_micro, out_of, counted, day)
  select $1::text, id, $3::bigint, $5::text, $4::text[], (now() at time zone 'utc')::date from taken
  returning left_micro`;

/**
 * Ends the reserve of an ended key, once. The unspent rest returns to its origin, and no longer counts against limits.
 */
export const GIVE_BACK_RESERVE = `
  with ended as (
    update key_reserve set ended_at = now() where key_id = $1::text and ended_at is null returning *
  ), above as (
    update key_reserve r set left_micro = r.left_micro + e.left_micro
    from ended e where r.key_id = e.out_of and r.ended_at is null
    returning r.key_id
  ), freed as (
    update ledger_account a
    set reserved_micro = a.reserved_micro - case when exists (select from above) then 0 else e.left_micro end
    from ended e where a.id = e.account_id
    returning a.id
  ), uncounted as (
    update key_spend s set spent_micro = s.spent_micro - e.left_micro
    from ended e, freed where s.key_id = any(e.counted) and s.day = e.day
  )
  select left_micro from ended`;

/** Keys that have ended, or are below an ended key, and still have a reserve. The deepest keys come first. */
export const ENDED_RESERVES = `
  select r.key_id as id from key_reserve r join api_key k on k.id = r.key_id ${joinPauses(RESERVE_ENDS, 'r.key_id')}
  where r.ended_at is null and ${IS_DUE} and exists (
    select from api_key one where one.id = any(k.above || k.id) and (one.deleted_at is not null or one.expires_at <= now()))
  order by k.depth desc, r.key_id limit $1`;
