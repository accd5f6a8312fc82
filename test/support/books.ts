import type { Queries } from '#platform/database/database';

/**
 * The cost of keys with a reserve to the keys above them: the whole reserve, or, after it is returned, the spent part.
 * A later refund to an ended key went to the account, and still counts.
 */
const SET_ASIDE = `
  select r.key_id, r.out_of, r.counted,
    k.total_limit_micro - case when r.ended_at is null then 0 else r.left_micro end as micro
  from key_reserve r join api_key k on k.id = r.key_id`;

/** Every way in which the books can be wrong, as rows. An empty result means that they balance. */
const CHECKS: Readonly<Record<string, string>> = {
  'a balance that is not the sum of its entries': `
    select a.id from ledger_account a
    where a.balance_micro <> coalesce((
      select sum(case kind when 'debit' then -amount_micro else amount_micro end)
      from ledger_entry e where e.account_id = a.id), 0)`,
  'a held or paid prepaid charge without its one debit': `
    select c.id from charge c
    where c.account_id is not null and c.operation <> 'studio' and c.state in ('held', 'charged')
      and (select count(*) from ledger_entry e where e.charge_id = c.id) <> 1`,
  'a prepaid charge that was undone without debit and refund': `
    select c.id from charge c
    where c.account_id is not null and c.operation <> 'studio' and c.state in ('released', 'refunded')
      and (select count(*) from ledger_entry e where e.charge_id = c.id) <> 2`,
  'an entry whose charge is not there': `
    select e.charge_id as id from ledger_entry e
    where e.charge_id is not null and not exists (select from charge c where c.id = e.charge_id)`,
  'a key or a budget whose spend is not that of its charges': `
    select k.key_id as id from (select key_id, sum(spent_micro) as spent from key_spend group by key_id) k
    where k.spent <> coalesce((
      select sum(price_micro) from charge c left join api_key a on a.id = c.key_id
      where (c.key_id = k.key_id or k.key_id = any(a.counted_above) or c.budget_id = k.key_id) and c.state in ('held', 'charged')), 0)
      + coalesce((select sum(set_aside.micro) from (${SET_ASIDE}) set_aside where k.key_id = any(set_aside.counted)), 0)`,
  'a reserve that is not what was set aside, less what was drawn on it': `
    select r.key_id as id from key_reserve r where r.ended_at is null and r.left_micro <> (
      select k.total_limit_micro from api_key k where k.id = r.key_id)
      - coalesce((select sum(c.price_micro) from charge c join api_key k on k.id = c.key_id
          where k.reserve_id = r.key_id and c.state in ('held', 'charged')), 0)
      - coalesce((select sum(set_aside.micro) from (${SET_ASIDE}) set_aside where set_aside.out_of = r.key_id), 0)`,
  'an account whose reserved money is not that of its keys and of its open calls': `
    select a.id from ledger_account a where a.reserved_micro <> coalesce((
      select sum(left_micro) from key_reserve r where r.account_id = a.id and r.ended_at is null), 0)
      + coalesce((select sum(c.price_micro) from charge c
          where c.account_id = a.id and c.operation = 'studio' and c.state = 'held'), 0)`,
  'a payer whose open or paid sums are not those of its calls': `
    select w.payer as id from x402_payer w
    where w.open_micro <> coalesce((select sum(price_micro) from charge c
        where c.payer = w.payer and c.rail = 'x402' and c.state in ('held', 'settling')), 0)
      or w.open_count <> (select count(*) from charge c
        where c.payer = w.payer and c.rail = 'x402' and c.state in ('held', 'settling'))
      or w.paid_in_micro <> coalesce((select sum(price_micro) from charge c
        where c.payer = w.payer and c.rail = 'x402' and c.state in ('charged', 'refunded')), 0)`,
  'a call that was paid on chain without its transaction, or released with one': `
    select c.id from charge c left join x402_payment p on p.charge_id = c.id
    where c.rail = 'x402' and ((c.state in ('charged', 'refunded') and p.tx_hash is null)
      or (c.state = 'released' and p.tx_hash is not null))`,
  'a transfer that pays more than one call': `
    select min(p.charge_id) as id from x402_payment p join charge c on c.id = p.charge_id
    where c.state in ('charged', 'refunded') group by p.network, p.tx_hash, p.log_index having count(*) > 1`,
  'a signature or an identifier that is kept after its call was decided': `
    select p.charge_id as id from x402_payment p join charge c on c.id = p.charge_id
    where c.state not in ('held', 'settling') and ((p.signature is not null and p.watch_at is null)
      or (p.payment_id is not null and c.state = 'released'))`,
  'a channel whose total is not that of its calls': `
    select c.id from channel c where c.charged_micro - c.base_micro <> coalesce((
      select sum(g.price_micro) from channel_voucher v join charge g on g.id = v.charge_id
      where v.channel_id = c.id and g.state in ('charged', 'refunded')), 0)`,
  'a channel that was claimed above what was charged': `
    select id from channel where claimed_micro > charged_micro`,
  'an open call of a channel that is not held, or a held one without its channel': `
    select coalesce(c.open_charge_id, g.id) as id
    from channel c full join (select id from charge where rail = 'channel' and state in ('held', 'settling')) g
      on g.id = c.open_charge_id
    where (c.id is null or c.open_charge_id is not null) and (c.id is null or g.id is null)`,
  'a call by channel that was charged above its voucher, or without a total': `
    select g.id from charge g left join channel_voucher v on v.charge_id = g.id
    where g.rail = 'channel' and (v.charge_id is null
      or (g.state in ('charged', 'refunded')) <> (v.total_micro is not null)
      or v.total_micro > v.signed_micro or g.price_micro > v.signed_micro)`,
  'an answer that is kept of a call which was released': `
    select c.id from charge c join replay r on r.charge_id = c.id where c.state = 'released'`,
};

/** Runs after every test: no test may create or destroy money. */
export const expectBooksToBalance = async (db: Queries): Promise<void> => {
  const wrong: Record<string, unknown[]> = {};
  for (const [what, sql] of Object.entries(CHECKS)) {
    const rows = await db.rows<{ id: string }>(sql);
    if (rows.length > 0) wrong[what] = rows.map(({ id }) => id);
  }
  expect(wrong).toEqual({});
};
