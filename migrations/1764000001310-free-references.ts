import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * References of owners who have never paid: at most five, for a day. They count against their owner and against the
 * address that stored them. Concurrent calls wait for these rows, so no code can exceed the limit.
 */
export class FreeReferences1764000001310 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table reference
        add column free_until timestamptz,
        add column free_caller text,
        add constraint reference_free check ((free_until is null) = (free_caller is null))`);
    await db.query(
      `create index reference_free_until on reference (free_until) where free_until is not null`,
    );
    await db.query(`
      create table reference_free (
        holder text not null constraint "PK_reference_free" primary key,
        assets integer not null,
        constraint reference_free_room check (assets between 0 and 5)
      ) with (fillfactor = 70)`);
    // The trigger always locks the owner's row first, so two calls that lock the same two rows can't cause a deadlock.
    await db.query(`
      create function count_free_reference() returns trigger language plpgsql as $$
      begin
        if tg_op <> 'INSERT' and old.free_until is not null and (tg_op = 'DELETE' or new.free_until is null) then
          update reference_free set assets = assets - 1 where holder = 'owner:' || old.owner;
          update reference_free set assets = assets - 1 where holder = 'caller:' || old.free_caller;
          delete from reference_free where holder in ('owner:' || old.owner, 'caller:' || old.free_caller) and assets = 0;
        elsif tg_op = 'INSERT' and new.free_until is not null then
          insert into reference_free as f (holder, assets) values ('owner:' || new.owner, 1)
          on conflict (holder) do update set assets = f.assets + 1;
          insert into reference_free as f (holder, assets) values ('caller:' || new.free_caller, 1)
          on conflict (holder) do update set assets = f.assets + 1;
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger reference_free_counted after insert or delete or update of free_until on reference
      for each row execute function count_free_reference()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger reference_free_counted on reference');
    await db.query('drop function count_free_reference()');
    await db.query('drop table reference_free');
    await db.query('alter table reference drop column free_until, drop column free_caller');
  }
}
