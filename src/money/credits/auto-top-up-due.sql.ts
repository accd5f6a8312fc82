/** The conditions of automatic top-ups. `t` is the row of an account's settings. */

/** A process charges a new row at once. An older open row is from a process that died or got no answer. */
export const ABANDONED = `interval '1 minute'`;
/** Processors keep idempotency keys for a day. Later, the same charge could be made twice. */
export const CREATABLE = `interval '20 hours'`;

/** The sum of this month's automatic top-ups that are paid or still open. */
export const MONTH = `
  select coalesce(sum(p.amount_micro), 0) from credit_top_up p
  where p.account_id = t.account_id and p.automatic and p.state <> 'refused'
    and p.created_at >= date_trunc('month', now() at time zone 'utc') at time zone 'utc'`;

/** The account may be charged: it is open, and the person who saved the card is still an owner. */
export const WANTED = `
  t.enabled and t.payment_method is not null
  and exists (select from account a where a.id = t.account_id and a.banned_at is null)
  and exists (
    select from member m join account p on p.id = m.account_id and p.banned_at is null
    where m.organisation_id = t.account_id and m.account_id = t.card_by and m.role = 'owner')`;

/** The balance is below the amount of the settings, the sum of the month allows a top-up, and no other one is open. */
export const DUE = `
  ${WANTED} and (t.retry_at is null or t.retry_at <= now())
  and coalesce((select l.balance_micro - l.reserved_micro from ledger_account l where l.id = 'credits:' || t.account_id), 0)
    < t.below_micro
  and not exists (
    select from credit_top_up p where p.account_id = t.account_id and p.automatic and p.state = 'pending')
  and (${MONTH}) + t.amount_micro <= t.month_micro`;
