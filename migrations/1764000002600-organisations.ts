import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Organisations: accounts with members, to which nobody signs in. Each person's account is an organisation as well, and
 * that person always remains its owner, so no data moves. The keys of a member end when the member leaves. The tables
 * enforce this, so no code can forget it.
 */
export class Organisations1764000002600 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table account
        alter column email drop not null,
        alter column password_hash drop not null,
        add column name text,
        add constraint account_kind check (
          (name is null) = (email is not null) and (email is null) = (password_hash is null)),
        add constraint account_name check (length(name) between 1 and 100)`);
    await db.query(`
      create table member (
        organisation_id text not null constraint member_organisation references account (id) on delete cascade,
        account_id text not null constraint member_account references account (id) on delete cascade,
        role text not null,
        joined_at timestamptz not null default now(),
        constraint "PK_member" primary key (organisation_id, account_id),
        constraint member_role check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
        constraint member_of_own check (organisation_id <> account_id or role = 'owner')
      )`);
    await db.query('create index member_by_account on member (account_id)');
    await db.query(`
      insert into member (organisation_id, account_id, role, joined_at)
      select id, id, 'owner', created_at from account`);
    // While both versions run, processes of the version before also create accounts, so a trigger adds the membership.
    await db.query(`
      create function account_owns_itself() returns trigger language plpgsql as $$
      begin
        insert into member (organisation_id, account_id, role) values (new.id, new.id, 'owner');
        return null;
      end $$`);
    await db.query(`
      create trigger account_is_an_organisation after insert on account
      for each row when (new.email is not null) execute function account_owns_itself()`);
    await this.keysEndWithTheirMakers(db);
    await this.invitesAndAudit(db);
  }

  private async keysEndWithTheirMakers(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table api_key add column member_id text constraint api_key_member references account (id)`);
    await db.query(`
      create function may_have_keys(organisation text, who text) returns boolean language sql stable as $$
        select who is null or exists (
          select from member m join account a on a.id = m.account_id
          where m.organisation_id = organisation and m.account_id = who
            and m.role in ('owner', 'admin', 'developer') and a.banned_at is null)
      $$`);
    await db.query('create index api_key_by_member on api_key (member_id) where member_id is not null');
    await db.query(`
      create function end_keys_of_member() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or new.role in ('billing', 'viewer') then
          update api_key set enabled = false
          where account_id = old.organisation_id and member_id = old.account_id and enabled;
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger member_ends after delete or update of role on member
      for each row execute function end_keys_of_member()`);
    await db.query(`
      create function end_keys_of_banned() returns trigger language plpgsql as $$
      begin
        update api_key set enabled = false where member_id = new.id and enabled;
        return null;
      end $$`);
    await db.query(`
      create trigger account_keys_end after update of banned_at on account
      for each row when (old.banned_at is null and new.banned_at is not null) execute function end_keys_of_banned()`);
    // If a member makes or enables a key during their removal, the trigger waits for the removal and then disables the
    // key.
    await db.query(`
      create function key_needs_its_maker() returns trigger language plpgsql as $$
      begin
        perform from member m join account a on a.id = m.account_id
        where m.organisation_id = new.account_id and m.account_id = new.member_id
          and m.role in ('owner', 'admin', 'developer') and a.banned_at is null
        for share;
        if not found then
          new.enabled := false;
        end if;
        return new;
      end $$`);
    await db.query(`
      create trigger api_key_made before insert on api_key
      for each row when (new.enabled and new.member_id is not null) execute function key_needs_its_maker()`);
    await db.query(`
      create trigger api_key_enabled before update of enabled on api_key
      for each row when (new.enabled and not old.enabled and new.member_id is not null)
      execute function key_needs_its_maker()`);
  }

  private async invitesAndAudit(db: QueryRunner): Promise<void> {
    await db.query(`
      create table invite (
        id text not null constraint "PK_invite" primary key,
        organisation_id text not null constraint invite_organisation references account (id) on delete cascade,
        token_hash bytea not null,
        role text not null,
        email text,
        invited_by text not null constraint invite_inviter references account (id) on delete cascade,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        accepted_by text,
        accepted_at timestamptz,
        revoked_at timestamptz,
        constraint invite_token unique (token_hash),
        constraint invite_token_length check (octet_length(token_hash) = 32),
        constraint invite_role check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
        constraint invite_once check ((accepted_by is null) = (accepted_at is null))
      )`);
    await db.query(`
      create index invite_open on invite (organisation_id, created_at)
      where accepted_at is null and revoked_at is null`);
    await db.query(`
      create table organisation_audit (
        seq bigint generated always as identity constraint "PK_organisation_audit" primary key,
        organisation_id text not null,
        actor_id text not null,
        deed text not null,
        subject text not null,
        detail text not null,
        request_id text not null,
        ip text not null,
        created_at timestamptz not null default now()
      )`);
    await db.query('create index organisation_audit_by_owner on organisation_audit (organisation_id, seq)');
    await db.query(`
      create trigger organisation_audit_stays before update or delete or truncate on organisation_audit
      for each statement execute function audit_is_append_only()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table organisation_audit, invite');
    await db.query('drop trigger api_key_enabled on api_key');
    await db.query('drop trigger api_key_made on api_key');
    await db.query('drop trigger account_keys_end on account');
    await db.query('drop trigger account_is_an_organisation on account');
    await db.query('alter table api_key drop column member_id');
    await db.query('drop table member');
    await db.query(
      'drop function may_have_keys, key_needs_its_maker, end_keys_of_banned, end_keys_of_member, account_owns_itself',
    );
    // Organisations stay as accounts with their property. Nobody can sign in to them, because no password has this
    // hash.
    await db.query(`
      update account set name = null, email = lower(id) || '@organisation.invalid', password_hash = '-'
      where name is not null`);
    await db.query(`
      alter table account
        drop constraint account_kind,
        drop column name,
        alter column email set not null,
        alter column password_hash set not null`);
  }
}
