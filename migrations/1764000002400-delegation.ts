import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Delegated keys: scopes, limits for a day, a month and the whole life, a second secret during an exchange, the keys
 * above, and reserves. Only `key_left` computes the money that a key may still spend. Calls and limits both use it.
 */
export class Delegation1764000002400 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table api_key
        alter column account_id drop not null,
        add column wallet text,
        add column parent_id text constraint api_key_parent references api_key (id),
        add column above text[] not null default '{}',
        add column counted_above text[] not null default '{}',
        add column depth smallint not null default 0,
        add column reserve_id text,
        add column scopes jsonb,
        add column day_limit_micro bigint,
        add column month_limit_micro bigint,
        add column total_limit_micro bigint,
        add column previous_hash bytea,
        add column previous_until timestamptz,
        add column previous_used_at timestamptz,
        add column rotated_at timestamptz,
        add column used_at timestamptz,
        add column sign_in_nonce text,
        add constraint api_key_owner check (num_nonnulls(account_id, wallet) = 1),
        add constraint api_key_wallet check (wallet ~ '^0x[0-9a-f]{40}$'),
        add constraint api_key_depth check (depth between 0 and 3),
        add constraint api_key_limits check (
          day_limit_micro > 0 and month_limit_micro > 0 and total_limit_micro > 0),
        add constraint api_key_previous check ((previous_hash is null) = (previous_until is null)),
        add constraint api_key_previous_hash unique (previous_hash)`);
    await db.query(
      `create unique index api_key_sign_in on api_key (wallet, sign_in_nonce) where sign_in_nonce is not null`,
    );
    await db.query('drop index api_key_by_account');
    await db.query('create index api_key_by_owner on api_key (coalesce(account_id, wallet), created_at)');
    // Every call of such a key writes to this row. It is separate from the key's own row, because a change of that row
    // notifies all processes.
    await db.query(`
      create table key_reserve (
        key_id text not null constraint "PK_key_reserve" primary key,
        account_id text not null,
        left_micro bigint not null,
        out_of text,
        counted text[] not null,
        day date not null,
        ended_at timestamptz,
        constraint key_reserve_left check (left_micro >= 0)
      ) with (fillfactor = 50)`);
    await db.query(`create index key_reserve_by_account on key_reserve (account_id) where ended_at is null`);
    // The time of a secret's last use changes nothing for other processes, so its update does not notify them.
    await db.query('drop trigger api_key_changed on api_key');
    await db.query(`
      create trigger api_key_gone after delete on api_key
      for each row execute function tell_of_key_change()`);
    await db.query(`
      create trigger api_key_changed after update on api_key for each row
      when ((old.used_at, old.previous_used_at) is not distinct from (new.used_at, new.previous_used_at))
      execute function tell_of_key_change()`);
    await db.query(`
      create function key_left(asked text) returns bigint language plpgsql as $$
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
    // Around midnight, two calls may write the rows of two days at the same time, and neither sees the row of the
    // other. So they take a lock.
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
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      create or replace function key_stays_within_limit() returns trigger language plpgsql as $$
      declare
        allowed bigint := (select spend_limit_micro from api_key where id = new.key_id);
      begin
        if allowed is not null and allowed < (
          select sum(spent_micro) from key_spend
          where key_id = new.key_id and day > (now() at time zone 'utc')::date - 30
        ) then
          raise exception 'the spend limit of key % is reached', new.key_id using errcode = 'LP001';
        end if;
        return null;
      end $$`);
    await db.query('drop trigger api_key_changed on api_key');
    await db.query('drop trigger api_key_gone on api_key');
    await db.query(`
      create trigger api_key_changed after update or delete on api_key
      for each row execute function tell_of_key_change()`);
    await db.query('drop index api_key_by_owner');
    await db.query('create index api_key_by_account on api_key (account_id, created_at)');
    await db.query('drop function key_left');
    // Reserves return to the accounts that they came from. Delegated keys end, because the older version would not
    // enforce their limits.
    await db.query(`
      update ledger_account a set reserved_micro = a.reserved_micro - r.total
      from (select account_id, sum(left_micro) as total from key_reserve where ended_at is null group by account_id) r
      where a.id = r.account_id`);
    await db.query('drop table key_reserve');
    await db.query(`update api_key set deleted_at = now() where depth > 0 and deleted_at is null`);
    await db.query(`delete from api_key where wallet is not null`);
    await db.query(`
      alter table api_key
        alter column account_id set not null,
        drop constraint api_key_owner,
        drop constraint api_key_limits,
        drop column wallet, drop column parent_id, drop column above, drop column counted_above, drop column depth,
        drop column reserve_id, drop column scopes, drop column day_limit_micro, drop column month_limit_micro,
        drop column total_limit_micro, drop column previous_hash, drop column previous_until,
        drop column previous_used_at, drop column rotated_at, drop column used_at, drop column sign_in_nonce`);
  }
}
