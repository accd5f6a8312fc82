import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The rails are rows, and a service with a new rail adds its row at the start. A trigger instead of a foreign key
 * checks the rail once for each statement, and locks no row that all calls share. It also checks that prepaid charges,
 * and no others, have an account. A check constraint could do this only by the names of the rails.
 */
export class Rails1764000002100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table rail (
        name text not null constraint "PK_rail" primary key,
        is_prepaid boolean not null,
        constraint rail_name check (name ~ '^[a-z0-9][a-z0-9-]{0,29}$')
      )`);
    await db.query(`insert into rail values ('x402', false), ('wallet', true), ('api-key', true)`);
    await db.query(`
      create function prove_charge_rails() returns trigger language plpgsql as $$
      begin
        if exists (
          select from added c left join rail r on r.name = c.rail
          where r.is_prepaid is distinct from (c.account_id is not null)
        ) then
          raise exception 'a charge that does not fit its rail' using errcode = 'LP008';
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger charge_rail_proof after insert on charge
      referencing new table as added for each statement execute function prove_charge_rails()`);
    await db.query(`
      alter table charge
        drop constraint charge_rail,
        drop constraint charge_prepaid_account,
        drop constraint charge_key,
        drop constraint charge_settling_is_x402,
        add constraint charge_key check (key_id is null or account_id is not null) not valid,
        add constraint charge_settles_later check (state <> 'settling' or account_id is null) not valid`);
    // Ids of wallets and accounts keep their only spelling. A new rail chooses the ids of its own ledger accounts.
    await db.query(`
      alter table ledger_account
        drop constraint ledger_account_id,
        add constraint ledger_account_id check (
          id ~ '^(wallet:0x[0-9a-f]{40}|credits:acc_[A-Za-z0-9_-]{10,60}|(?!wallet:|credits:)[a-z][a-z-]*:[A-Za-z0-9_-]{1,70})$'
        ) not valid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table ledger_account
        drop constraint ledger_account_id,
        add constraint ledger_account_id check (id ~ '^(wallet:0x[0-9a-f]{40}|credits:acc_[A-Za-z0-9_-]{10,60})$')`);
    await db.query(`
      alter table charge
        drop constraint charge_key,
        drop constraint charge_settles_later,
        add constraint charge_rail check (rail in ('x402', 'wallet', 'api-key')),
        add constraint charge_prepaid_account check ((rail = 'x402') = (account_id is null)),
        add constraint charge_key check ((rail = 'api-key') or key_id is null),
        add constraint charge_settling_is_x402 check (state <> 'settling' or rail = 'x402')`);
    await db.query('drop trigger charge_rail_proof on charge');
    await db.query('drop function prove_charge_rails');
    await db.query('drop table rail');
  }
}
