import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An index lets lists of keys skip deleted keys, page by page. An invite ends when its maker loses the right to invite,
 * and never opens again, because its place may have been given to another invite.
 */
export class Places1764000002830 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create index api_key_by_page on api_key (coalesce(account_id, wallet), created_at, id)
      where deleted_at is null`);
    await db.query('alter table invite add column ended_at timestamptz');
    await db.query(`
      create function end_invites_of_member() returns trigger language plpgsql as $$
      begin
        update invite set ended_at = now()
        where organisation_id = old.organisation_id and invited_by = old.account_id
          and accepted_at is null and revoked_at is null and ended_at is null
          and (tg_op = 'DELETE' or new.role not in ('owner', 'admin') or new.role = 'admin' and invite.role = 'owner');
        return null;
      end $$`);
    await db.query(`
      create trigger member_invites_end after delete or update of role on member
      for each row execute function end_invites_of_member()`);
    await db.query(`
      create function end_invites_of_banned() returns trigger language plpgsql as $$
      begin
        update invite set ended_at = now()
        where invited_by = new.id and accepted_at is null and revoked_at is null and ended_at is null;
        return null;
      end $$`);
    await db.query(`
      create trigger account_invites_end after update of banned_at on account for each row
      when (old.banned_at is null and new.banned_at is not null) execute function end_invites_of_banned()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger account_invites_end on account');
    await db.query('drop trigger member_invites_end on member');
    await db.query('drop function end_invites_of_banned, end_invites_of_member');
    // The version before does not know `ended_at`, and would open these invites again.
    await db.query('update invite set revoked_at = ended_at where ended_at is not null');
    await db.query('alter table invite drop column ended_at');
    await db.query('drop index api_key_by_page');
  }
}
