import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Second factors with recovery codes, passkeys, links that reset a password, and the time at which an owner closed an
 * account. The secret of a second factor is encrypted. Of codes and links, the tables store only hashes.
 */
export class AccountSecurity1764000003600 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table second_factor (
        account_id text not null constraint "PK_second_factor" primary key
          constraint second_factor_account references account (id) on delete cascade,
        sealed bytea not null,
        created_at timestamptz not null default now(),
        confirmed_at timestamptz,
        last_step bigint,
        guesses integer not null default 0,
        guesses_since timestamptz not null default now()
      )`);
    await db.query(`
      create table recovery_code (
        code_hash bytea not null constraint "PK_recovery_code" primary key,
        account_id text not null constraint recovery_code_factor references second_factor (account_id) on delete cascade,
        used_at timestamptz,
        constraint recovery_code_hash check (octet_length(code_hash) = 32)
      )`);
    await db.query('create index recovery_code_by_account on recovery_code (account_id)');
    await db.query(`
      create table passkey (
        id text not null constraint "PK_passkey" primary key,
        account_id text not null constraint passkey_account references account (id) on delete cascade,
        name text not null,
        public_key bytea not null,
        counter bigint not null,
        transports text[] not null default '{}',
        challenge_at timestamptz,
        created_at timestamptz not null default now(),
        used_at timestamptz,
        constraint passkey_name check (length(name) between 1 and 100)
      )`);
    await db.query('create index passkey_by_account on passkey (account_id)');
    await db.query(`
      create table password_reset (
        token_hash bytea not null constraint "PK_password_reset" primary key,
        account_id text not null constraint password_reset_account references account (id) on delete cascade,
        removes_second_factor boolean not null default false,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        constraint password_reset_hash check (octet_length(token_hash) = 32)
      )`);
    await db.query('create index password_reset_by_account on password_reset (account_id)');
    await db.query('create index password_reset_expiry on password_reset (expires_at)');
    await db.query('alter table account add column closed_at timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table account drop column closed_at');
    await db.query('drop table password_reset, passkey, recovery_code, second_factor');
  }
}
