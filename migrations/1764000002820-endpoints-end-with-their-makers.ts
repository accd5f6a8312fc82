import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A webhook endpoint belongs to the key or the member that set its address. It gets no messages while its maker may not
 * act, and ends with its maker. The tables enforce this, so no code can bypass it.
 */
export class EndpointsEndWithTheirMakers1764000002820 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table webhook_endpoint
        add column key_id text,
        add column member_id text constraint webhook_endpoint_member references account (id)`);
    await db.query(
      'create index webhook_endpoint_by_key on webhook_endpoint (key_id) where key_id is not null',
    );
    await db.query(
      'create index webhook_endpoint_by_member on webhook_endpoint (member_id) where member_id is not null',
    );
    await db.query(`
      create function endpoint_lives(owner text, key_id text, member_id text) returns boolean language sql stable as $$
        select (key_id is null or key_lives(key_id, null)) and may_have_keys(owner, member_id)
      $$`);
    await db.query(`
      create function end_endpoints_of_key() returns trigger language plpgsql as $$
      begin
        delete from webhook_delivery where target in (select id from webhook_endpoint where key_id = old.id);
        delete from webhook_endpoint where key_id = old.id;
        return null;
      end $$`);
    await db.query(`
      create trigger api_key_endpoints_end after update of deleted_at on api_key for each row
      when (old.deleted_at is null and new.deleted_at is not null) execute function end_endpoints_of_key()`);
    // The endpoints of a member who leaves are disabled, and stay disabled if the member returns.
    await db.query(`
      create function end_endpoints_of_member() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or new.role in ('billing', 'viewer') then
          update webhook_endpoint set enabled = false, disabled_reason = 'maker'
          where owner = old.organisation_id and member_id = old.account_id and enabled;
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger member_endpoints_end after delete or update of role on member
      for each row execute function end_endpoints_of_member()`);
    await db.query(`
      create function end_endpoints_of_banned() returns trigger language plpgsql as $$
      begin
        update webhook_endpoint set enabled = false, disabled_reason = 'maker' where member_id = new.id and enabled;
        return null;
      end $$`);
    await db.query(`
      create trigger account_endpoints_end after update of banned_at on account for each row
      when (old.banned_at is null and new.banned_at is not null) execute function end_endpoints_of_banned()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger account_endpoints_end on account');
    await db.query('drop trigger member_endpoints_end on member');
    await db.query('drop trigger api_key_endpoints_end on api_key');
    await db.query(
      'drop function end_endpoints_of_banned, end_endpoints_of_member, end_endpoints_of_key, endpoint_lives',
    );
    // Without its key, an endpoint would get all events of the owner, so endpoints of delegated keys are deleted.
    await db.query(`
      delete from webhook_endpoint e using api_key k where k.id = e.key_id and k.depth > 0`);
    await db.query('alter table webhook_endpoint drop column key_id, drop column member_id');
  }
}
