import type { Queries } from '../../src/platform/database/database';

/** Every way in which the books can be wrong, as rows; an empty answer means that they balance. */
const CHECKS: Readonly<Record<string, string>> = {
  'a balance that is not the sum of its entries': `
    select a.id from ledger_account a
    where a.balance_micro <> coalesce((
      select sum(case kind when 'debit' then -amount_micro else amount_micro end)
      from ledger_entry e where e.account_id = a.id), 0)`,
  'a prepaid charge that stands without its one debit': `
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
  'a key whose spend is not that of its charges': `
    select k.key_id as id from (select key_id, sum(spent_micro) as spent from key_spend group by key_id) k
    where k.spent <> coalesce((
      select sum(price_micro) from charge c
      where c.key_id = k.key_id and c.state in ('held', 'charged')), 0)`,
};

/** Run after every test: money is conserved, whatever happened. */
export const expectBooksToBalance = async (db: Queries): Promise<void> => {
  const wrong: Record<string, unknown[]> = {};
  for (const [what, sql] of Object.entries(CHECKS)) {
    const rows = await db.rows<{ id: string }>(sql);
    if (rows.length > 0) wrong[what] = rows.map(({ id }) => id);
  }
  expect(wrong).toEqual({});
};
