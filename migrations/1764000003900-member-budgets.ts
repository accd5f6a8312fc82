import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Budgets of members by month. `key_spend` counts the spending of a member under the id of the budget, like the
 * spending of a key. A charge stores the budget that it counts against, and a release or a refund returns the money
 * there.
 */
export class MemberBudgets1764000003900 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table member_budget (
        id text not null constraint "PK_member_budget" primary key,
        month_micro bigint not null,
        constraint member_budget_id check (id ~ '^[^/]+/[^/]+$'),
        constraint member_budget_month check (month_micro >= 0)
      )`);
    await db.query('alter table charge add column budget_id text');
    await db.query(`
      create or replace function key_left(asked text) returns bigint language plpgsql as $$
      declare
        k api_key;
        today date := (now() at time zone 'utc')::date;
        lefts bigint;
      begin
        if position('/' in asked) > 0 then
          select b.month_micro - coalesce((
            select sum(s.spent_micro) from key_spend s where s.key_id = asked and s.day >= date_trunc('month', today)), 0)
          into lefts from member_budget b where b.id = asked;
          return lefts;
        end if;
        select * into k from api_key where id = asked;
        if num_nonnulls(k.spend_limit_micro, k.day_limit_micro, k.month_limit_micro, k.total_limit_micro) = 0 then
          return null;
        end if;
        select least(
          k.spend_limit_micro - coalesce(sum(s.spent_micro) filter (where s.day > today - 30), 0),
          k.day_limit_micro - coalesce(sum(s.spent_micro) filter (where s.day = today), 0),
          k.month_limit_micro - coalesce(sum(s.spent_micro) filter (where s.day >= date_trunc('month', today)), 0),
          k.total_limit_micro - coalesce(sum(s.spent_micro), 0)
        ) into lefts
        from key_spend s where s.key_id = asked
          and (k.total_limit_micro is not null or s.day > today - 32);
        return lefts;
      end $$`);
    await db.query(`
      create function budget_is_kept() returns trigger language plpgsql as $$
      begin
        if not exists (select from member_budget where id = new.key_id) then
          return null;
        end if;
        if (now() at time zone 'utc')::time not between time '00:01' and time '23:59' then
          perform pg_advisory_xact_lock(hashtext('key_spend ' || new.key_id));
        end if;
        if key_left(new.key_id) < 0 then
          raise exception 'the budget % is spent', new.key_id using errcode = 'LP012';
        end if;
        return null;
      end $$`);
    // A row belongs either to a key or to a budget, so each write still runs only one trigger.
    await db.query('drop trigger key_spend_limit_insert on key_spend');
    await db.query('drop trigger key_spend_limit_update on key_spend');
    await db.query(`
      create trigger key_spend_limit_insert after insert on key_spend
      for each row when (position('/' in new.key_id) = 0) execute function key_stays_within_limit()`);
    await db.query(`
      create trigger key_spend_limit_update after update on key_spend
      for each row when (new.spent_micro > old.spent_micro and position('/' in new.key_id) = 0)
      execute function key_stays_within_limit()`);
    await db.query(`
      create trigger budget_limit_insert after insert on key_spend
      for each row when (position('/' in new.key_id) > 0) execute function budget_is_kept()`);
    await db.query(`
      create trigger budget_limit_update after update on key_spend
      for each row when (new.spent_micro > old.spent_micro and position('/' in new.key_id) > 0)
      execute function budget_is_kept()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger budget_limit_update on key_spend');
    await db.query('drop trigger budget_limit_insert on key_spend');
    await db.query('drop trigger key_spend_limit_update on key_spend');
    await db.query('drop trigger key_spend_limit_insert on key_spend');
    await db.query('drop function budget_is_kept');
    await db.query(`delete from key_spend where position('/' in key_id) > 0`);
    await db.query(`
      create trigger key_spend_limit_insert after insert on key_spend
      for each row execute function key_stays_within_limit()`);
    await db.query(`
      create trigger key_spend_limit_update after update on key_spend
      for each row when (new.spent_micro > old.spent_micro) execute function key_stays_within_limit()`);
    await db.query(`
      create or replace function key_left(asked text) returns bigint language plpgsql as $$
      declare
        k api_key;
        today date := (now() at time zone 'utc')::date;
        lefts bigint;
      begin
        select * into k from api_key where id = asked;
        if num_nonnulls(k.spend_limit_micro, k.day_limit_micro, k.month_limit_micro, k.total_limit_micro) = 0 then
          return null;
        end if;
        select least(
          k.spend_limit_micro - coalesce(sum(s.spent_micro) filter (where s.day > today - 30), 0),
          k.day_limit_micro - coalesce(sum(s.spent_micro) filter (where s.day = today), 0),
          k.month_limit_micro - coalesce(sum(s.spent_micro) filter (where s.day >= date_trunc('month', today)), 0),
          k.total_limit_micro - coalesce(sum(s.spent_micro), 0)
        ) into lefts
        from key_spend s where s.key_id = asked
          and (k.total_limit_micro is not null or s.day > today - 32);
        return lefts;
      end $$`);
    await db.query('alter table charge drop column budget_id');
    await db.query('drop table member_budget');
  }
}
