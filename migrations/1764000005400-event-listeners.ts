import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Listeners in the service have a cursor each in the event log, which also has the ends of keys. */
export class EventListeners1764000005400 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table event_listener (
        name text primary key,
        position bigint not null,
        written bigint not null,
        event_id text not null,
        holder text,
        lease_until timestamptz,
        constraint event_listener_lease check ((holder is null) = (lease_until is null))
      )`);
    await db.query(
      'create index api_key_by_end on api_key (expires_at) where deleted_at is null and expires_at is not null',
    );
    // The task that announces expired keys makes the same id, so each end of a key has one event.
    await db.query(`
      create function api_key_has_ended() returns trigger language plpgsql as $$
      declare
        has_expired constant boolean := coalesce(new.expires_at <= now(), false);
      begin
        insert into event (id, owner, type, data)
        values ('evt_' || md5(new.id || coalesce(extract(epoch from new.expires_at)::text, '')),
          coalesce(new.account_id, new.wallet), 'key.ended',
          jsonb_build_object('id', new.id, 'name', new.name, 'reason', case when has_expired then 'expired' else 'deleted' end,
            'ended_at', case when has_expired then new.expires_at else new.deleted_at end))
        on conflict (id) do nothing;
        return null;
      end $$`);
    await db.query(`
      create trigger api_key_ended after update of deleted_at on api_key for each row
      when (old.deleted_at is null and new.deleted_at is not null
        and (new.expires_at is null or new.expires_at > now() - interval '7 days'))
      execute function api_key_has_ended()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger api_key_ended on api_key');
    await db.query('drop function api_key_has_ended()');
    await db.query('drop index api_key_by_end');
    await db.query(`delete from event where type = 'key.ended'`);
    await db.query(`delete from sweep_pause where sweep like 'listener:%'`);
    await db.query('drop table event_listener');
  }
}
