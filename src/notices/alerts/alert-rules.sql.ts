import { ALERT_DEFAULTS, FINE, KEY_DAYS_LEFT, PERCENT_BELOW } from './alert-thresholds';
import { MAILS_MAX } from './alert-mail-limits';
import type { AlertType } from './alert.entity';
import { type SweptRows, deletedRows } from '#platform/queue/sweep-rows.repository';

/**
 * The conditions of alerts. Each condition has a query for the owners that meet it (`owner`, `subject`, `data`), and a
 * test for active alerts that have ended. The two thresholds differ, so an amount near the limit causes no repeated
 * warnings.
 */

interface AlertRule {
  readonly meets: string;
  readonly isOver: string;
}

const SECONDS_TEXT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const TODAY = `(now() at time zone 'utc')::date`;

/** The owner of a ledger account. */
const ownerOf = (account: string): string => `substr(${account}, strpos(${account}, ':') + 1)`;

const percentsFor = (owner: string): string =>
  `coalesce((select key_percent from alert_setting where owner = ${owner}), '${JSON.stringify(ALERT_DEFAULTS.keyPercent)}')`;

/**
 * Each limit of the key `k`, with the spending that counts against it. The database enforces the limits in the same way
 * (`key_left`).
 */
const LIMITS_OF_KEY = `
  cross join lateral (
    select sum(s.spent_micro) filter (where s.day > ${TODAY} - 30) as recent,
      sum(s.spent_micro) filter (where s.day = ${TODAY}) as today,
      sum(s.spent_micro) filter (where s.day >= date_trunc('month', ${TODAY})) as month, sum(s.spent_micro) as ever
    from key_spend s where s.key_id = k.id and (k.total_limit_micro is not null or s.day > ${TODAY} - 32)
  ) as spent
  cross join lateral (values ('30 days', k.spend_limit_micro, spent.recent), ('day', k.day_limit_micro, spent.today),
    ('month', k.month_limit_micro, spent.month), ('total', k.total_limit_micro, spent.ever)) as l (span, most, micro)`;

const IS_LIMITED = `num_nonnulls(k.spend_limit_micro, k.day_limit_micro, k.month_limit_micro, k.total_limit_micro) > 0
  and k.deleted_at is null and (k.expires_at is null or k.expires_at > now())`;

const EXPIRES_SOON = `k.deleted_at is null and k.expires_at > now()
  and k.expires_at <= now() + interval '${KEY_DAYS_LEFT} days'`;

const TOP_UP_STATE = `case when t.enabled then 'failed' else 'off' end`;

const RULES: Readonly<Record<AlertType, AlertRule>> = {
  'balance.low': {
    // The statement looks up owners with settings one by one, so that one high limit does not cause a scan of all
    // balances.
    meets: `
      select low.owner, '' as subject, jsonb_build_object('balanceMicro', low.balance_micro, 'limitMicro', low.least) as data
      from (
        select a.id, a.balance_micro, ${ownerOf('a.id')} as owner, ${ALERT_DEFAULTS.balanceLow} as least
        from ledger_account a where a.balance_micro < ${ALERT_DEFAULTS.balanceLow} and not exists (
          select from alert_setting s
          where s.owner = ${ownerOf('a.id')} and s.balance_low_micro is not null)
        union all
        select a.id, a.balance_micro, s.owner, s.balance_low_micro
        from alert_setting s join ledger_account a on a.id in ('credits:' || s.owner, 'wallet:' || s.owner)
        where a.balance_micro < s.balance_low_micro
      ) as low
      where exists (select from ledger_entry e where e.account_id = low.id and e.kind = 'top_up')`,
    isOver: `alert.owner in (
      select ${ownerOf('a.id')} from ledger_account a left join alert_setting s on s.owner = ${ownerOf('a.id')}
      where a.balance_micro * ${FINE.of} >= coalesce(s.balance_low_micro, ${ALERT_DEFAULTS.balanceLow}) * ${FINE.times})`,
  },
  'top_up.failed': {
    // A failed top-up is one alert, and the switch-off after the last failure is another one.
    meets: `
      select t.account_id as owner, ${TOP_UP_STATE} as subject, jsonb_build_object('amountMicro', t.amount_micro,
        'reason', t.last_failure, 'failures', t.failures, 'isOff', not t.enabled) as data
      from auto_top_up t where t.failures > 0`,
    isOver: `not exists (
      select from auto_top_up t
      where t.account_id = alert.owner and t.failures > 0 and ${TOP_UP_STATE} = alert.subject)`,
  },
  'spend.high': {
    meets: `
      select s.owner, ${TODAY}::text as subject,
        jsonb_build_object('day', ${TODAY}, 'spentMicro', spent.micro, 'limitMicro', s.spend_day_micro) as data
      from alert_setting s cross join lateral (
        select sum(price_micro) as micro from charge
        where payer = s.owner and created_at >= ${TODAY}::timestamp at time zone 'utc' and state = 'charged'
      ) as spent
      where spent.micro >= s.spend_day_micro`,
    isOver: `alert.subject < ${TODAY}::text`,
  },
  'key.limit_near': {
    meets: `
      select coalesce(k.account_id, k.wallet) as owner, k.id || ' ' || l.span || ' ' || percent as subject, jsonb_build_object('id', k.id, 'name', k.name,
        'prefix', k.prefix, 'percent', percent::int, 'window', l.span, 'spentMicro', l.micro, 'limitMicro', l.most) as data
      from api_key k
      ${LIMITS_OF_KEY}
      cross join lateral jsonb_array_elements_text(${percentsFor('coalesce(k.account_id, k.wallet)')}) as percent
      where ${IS_LIMITED} and k.enabled
        and exists (select from key_spend where key_id = k.id and day >= ${TODAY} - 1)
        and l.micro * 100 >= l.most * percent::int`,
    isOver: `not exists (
      select from api_key k ${LIMITS_OF_KEY} where k.id = alert.data->>'id' and ${IS_LIMITED}
        and l.span = alert.data->>'window' and ${percentsFor('alert.owner')} @> (alert.data->'percent')
        and l.micro * 100 >= l.most * ((alert.data->>'percent')::int - ${PERCENT_BELOW}))`,
  },
  'key.expiring': {
    meets: `
      select coalesce(k.account_id, k.wallet) as owner, k.id as subject, jsonb_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix,
        'expiresAt', to_char(k.expires_at at time zone 'utc', ${SECONDS_TEXT})) as data
      from api_key k
      where ${EXPIRES_SOON} and k.enabled and k.expires_at > k.created_at + interval '${KEY_DAYS_LEFT} days'`,
    isOver: `not exists (select from api_key k where k.id = alert.subject and ${EXPIRES_SOON})`,
  },
};

/**
 * Alerts to write, each together with its event. Of two concurrent runs, only one writes. `$2` is whether accounts get
 * mails.
 */
export const raised = (type: AlertType): SweptRows => ({
  step: `raised ${type}`,
  table: 'met',
  query: { text: RULES[type].meets, place: `met.owner || ' ' || met.subject` },
  key: 'met.owner, met.subject, met.data',
  due: `not exists (
    select from alert a where a.owner = met.owner and a.type = '${type}' and a.subject = met.subject)`,
  act: (keys) => `
    with raised as (
      insert into alert (owner, type, subject, data)
      select k.owner, '${type}', k.subject, k.data from (${keys}) as k
      on conflict do nothing
      returning *
    ), events as (
      insert into event (id, owner, type, data)
      select 'evt_' || replace(gen_random_uuid()::text, '-', ''), owner, type, data from raised
      returning id, owner, type, data
    ), mailed as (
      insert into alert_mail (id, owner, type, data)
      select t.id, t.owner, t.type, t.data
      from (select events.*, row_number() over (partition by owner order by id) as nth from events) as t
      join account a on a.id = t.owner and a.banned_at is null
      where $2::boolean and t.nth + (select count(*) from alert_mail m where m.owner = t.owner) <= ${MAILS_MAX}
    )
    select 1 from raised`,
});

export const lowered = (type: AlertType): SweptRows =>
  deletedRows({
    step: `lowered ${type}`,
    table: 'alert',
    key: 'alert.owner, alert.type, alert.subject',
    due: `alert.type = '${type}' and ${RULES[type].isOver}`,
  });
