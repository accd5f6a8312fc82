import type { MigrationInterface, QueryRunner } from 'typeorm';

const proof = (debit: string): string => `
      create or replace function prove_ledger_entries() returns trigger language plpgsql as $$
      declare
        wrong text := (
          select min(case
            when e.balance_after_micro is distinct from coalesce(p.balance_after_micro, case when e.seq = 1 then 0 end)
              + case when e.kind = 'debit' then -e.amount_micro else e.amount_micro end
              then 'a ledger entry does not continue its chain'
            when a.id is null or a.last_seq < e.seq then 'ledger entries without their balance'
            when e.kind = 'refund' and not coalesce(
              (d.account_id = e.account_id and d.amount_micro = e.amount_micro)
              or (c.rail = 'x402' and c.settled_at is not null and e.account_id = 'wallet:' || c.payer
                  and e.amount_micro = c.price_micro),
              false)
              then 'a refund that is not the reversal of its debit'
            when ${debit} and (c.account_id is distinct from e.account_id or c.price_micro < e.amount_micro)
              then 'a debit without its charge'
          end)
          from added e
          left join ledger_entry p on p.account_id = e.account_id and p.seq = e.seq - 1
          left join ledger_account a on a.id = e.account_id
          left join charge c on c.id = e.charge_id
          left join ledger_entry d on e.kind = 'refund' and d.charge_id = e.charge_id and d.kind = 'debit');
      begin
        if wrong is not null then
          raise exception '%', wrong using errcode = 'LP003';
        end if;
        return null;
      end $$`;

/** A module may debit without a charge. Such an entry has a source instead, which is unique, so it counts only once. */
export class DebitsOfModules1764000002910 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(proof(`e.kind = 'debit' and e.source is null`));
    await db.query('alter table ledger_entry drop constraint ledger_entry_charge');
    await db.query('alter table ledger_entry drop constraint ledger_entry_source');
    await db.query(`
      alter table ledger_entry add constraint ledger_entry_origin check (
        case kind when 'top_up' then source is not null when 'debit' then num_nonnulls(charge_id, source) = 1
          else charge_id is not null and source is null end) not valid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(proof(`e.kind = 'debit'`));
    await db.query('alter table ledger_entry drop constraint ledger_entry_origin');
    // The debits of modules stay in the ledger, so the older rules apply only to new entries.
    await db.query(`
      alter table ledger_entry add constraint ledger_entry_charge check (kind = 'top_up' or charge_id is not null) not valid`);
    await db.query(`
      alter table ledger_entry add constraint ledger_entry_source check ((kind = 'top_up') = (source is not null)) not valid`);
  }
}
