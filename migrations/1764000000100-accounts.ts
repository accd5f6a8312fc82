import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts, sessions, and the keys of accounts. The tables store only hashes of secrets. */
export class Accounts1764000000100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table account (
        id text not null constraint "PK_account" primary key,
        email text not null,
        password_hash text not null,
        created_at timestamptz not null default now(),
        banned_at timestamptz,
        constraint account_email unique (email),
        constraint account_email_lower check (email = lower(email) and length(email) between 3 and 254)
      )`);
    await db.query(`
      create table session (
        token_hash bytea not null constraint "PK_session" primary key,
        account_id text not null constraint session_account references account (id) on delete cascade,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        constraint session_hash check (octet_length(token_hash) = 32)
      )`);
    await db.query(`create index session_by_account on session (account_id)`);
    await db.query(`create index session_expiry on session (expires_at)`);
    await db.query(`
      create table api_key (
        id text not null constraint "PK_api_key" primary key,
        account_id text not null constraint api_key_account references account (id),
        name text not null,
        hash bytea not null,
        prefix text not null,
        enabled boolean not null default true,
        expires_at timestamptz,
        spend_limit_micro bigint,
        created_at timestamptz not null default now(),
        deleted_at timestamptz,
        constraint api_key_hash unique (hash),
        constraint api_key_hash_length check (octet_length(hash) = 32),
        constraint api_key_name check (length(name) between 1 and 100),
        constraint api_key_spend_limit check (spend_limit_micro > 0)
      )`);
    await db.query(`create index api_key_by_account on api_key (account_id, created_at)`);
    await this.tellOfChanges(db);
  }

  /**
   * Processes keep keys in memory for a moment. A trigger notifies all of them of each change, even of a change with
   * psql.
   */
  private async tellOfChanges(db: QueryRunner): Promise<void> {
    await db.query(`
      create function tell_of_key_change() returns trigger language plpgsql as $$
      begin
        perform pg_notify('key_changed', old.id);
        return null;
      end $$`);
    await db.query(`
      create trigger api_key_changed after update or delete on api_key
      for each row execute function tell_of_key_change()`);
    await db.query(`
      create trigger account_banned after update of banned_at on account
      for each row when (old.banned_at is distinct from new.banned_at) execute function tell_of_key_change()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table api_key, session, account');
    await db.query('drop function tell_of_key_change');
  }
}
