import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Calls wait longest for the proofs of their own statements. These functions prove the same with fewer look-ups. */
export class LighterProofs1764000002740 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The trigger runs after the statement, so the tables already contain everything that it compares, including
    // earlier entries of the same statement.
    await db.query(`
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
            when e.kind = 'debit' and (c.account_id is distinct from e.account_id or c.price_micro < e.amount_micro)
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
      end $$`);
    // Around midnight, two calls may write the rows of two days at the same time, and neither sees the row of the
    // other. So they take a lock.
    await db.query(`
      create or replace function key_stays_within_limit() returns trigger language plpgsql as $$
      begin
        if not exists (
          select from api_key where id = new.key_id
            and num_nonnulls(spend_limit_micro, day_limit_micro, month_limit_micro, total_limit_micro) > 0
        ) then
          return null;
        end if;
        if (now() at time zone 'utc')::time not between time '00:01' and time '23:59' then
          perform pg_advisory_xact_lock(hashtext('key_spend ' || new.key_id));
        end if;
        if key_left(new.key_id) < 0 then
          raise exception 'a spend limit of key % is reached', new.key_id using errcode = 'LP001';
        end if;
        return null;
      end $$`);
    // Postgres evaluates a constraint at each change of a row, but the id never changes. So a trigger checks it only
    // once.
    await db.query('alter table ledger_account drop constraint ledger_account_id');
    await db.query(`
      create function ledger_account_is_misnamed() returns trigger language plpgsql as $$
      begin
        raise exception 'no ledger account can be called %', new.id using errcode = 'check_violation';
      end $$`);
    await db.query(`
      create trigger ledger_account_name before insert on ledger_account for each row
      when (new.id !~ '^(wallet:0x[0-9a-f]{40}|credits:acc_[A-Za-z0-9_-]{10,60}|(?!wallet:|credits:)[a-z][a-z-]*:[A-Za-z0-9_-]{1,70})$')
      execute function ledger_account_is_misnamed()`);
    await db.query(`
      create trigger ledger_account_keeps_name before update of id on ledger_account
      for each statement execute function ledger_is_append_only()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table ledger_account add constraint ledger_account_id check (
        id ~ '^(wallet:0x[0-9a-f]{40}|credits:acc_[A-Za-z0-9_-]{10,60}|(?!wallet:|credits:)[a-z][a-z-]*:[A-Za-z0-9_-]{1,70})$')`);
    await db.query('drop trigger ledger_account_keeps_name on ledger_account');
    await db.query('drop trigger ledger_account_name on ledger_account');
    await db.query('drop function ledger_account_is_misnamed');
    await db.query(`
      create or replace function key_stays_within_limit() returns trigger language plpgsql as $$
      begin
        if (now() at time zone 'utc')::time not between time '00:01' and time '23:59' then
          perform pg_advisory_xact_lock(hashtext('key_spend ' || new.key_id));
        end if;
        if key_left(new.key_id) < 0 then
          raise exception 'a spend limit of key % is reached', new.key_id using errcode = 'LP001';
        end if;
        return null;
      end $$`);
    await db.query(`
      create or replace function prove_ledger_entries() returns trigger language plpgsql as $$
      begin
        if exists (
          select from (
            select e.balance_after_micro as said,
              coalesce(
                lag(e.balance_after_micro) over chain,
                (select p.balance_after_micro from ledger_entry p where p.account_id = e.account_id and p.seq = e.seq - 1),
                case when e.seq = 1 then 0 end
              ) + case when e.kind = 'debit' then -e.amount_micro else e.amount_micro end as true_after,
              e.seq - coalesce(lag(e.seq) over chain, e.seq - 1) as step
            from added e window chain as (partition by e.account_id order by e.seq)
          ) link where said is distinct from true_after or step <> 1
        ) then
          raise exception 'a ledger entry does not continue its chain' using errcode = 'LP003';
        end if;
        if exists (
          select from (select account_id, max(seq) as seq from added group by account_id) newest
          left join ledger_account a on a.id = newest.account_id
          where a.last_seq is distinct from newest.seq
        ) then
          raise exception 'ledger entries without their balance' using errcode = 'LP003';
        end if;
        if exists (
          select from added e
          left join ledger_entry d on d.charge_id = e.charge_id and d.kind = 'debit'
          left join charge c on c.id = e.charge_id
          where e.kind = 'refund' and not coalesce(
            (d.account_id = e.account_id and d.amount_micro = e.amount_micro)
            or (c.rail = 'x402' and c.settled_at is not null and e.account_id = 'wallet:' || c.payer
                and e.amount_micro = c.price_micro),
            false)
        ) then
          raise exception 'a refund that is not the reversal of its debit' using errcode = 'LP003';
        end if;
        if exists (
          select from added e left join charge c on c.id = e.charge_id
          where e.kind = 'debit' and (c.account_id is distinct from e.account_id or c.price_micro < e.amount_micro)
        ) then
          raise exception 'a debit without its charge' using errcode = 'LP003';
        end if;
        return null;
      end $$`);
  }
}
