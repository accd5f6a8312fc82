import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The library of each owner. Triggers count its references, so no code can add more than a hundred. The trash contains
 * a blob's name before the blob is written, until its row exists, and again once its row is deleted. So if a process
 * dies in between, the blob is still known.
 */
export class References1764000000700 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table reference_library (
        owner text not null constraint "PK_reference_library" primary key,
        assets integer not null,
        constraint reference_library_room check (assets between 0 and 100)
      ) with (fillfactor = 70)`);
    await db.query(`
      create table reference (
        id text not null constraint "PK_reference" primary key,
        owner text not null,
        kind text not null,
        mime text not null,
        bytes bigint not null,
        seconds real,
        label text,
        sha256 bytea not null,
        blob_key text not null,
        embedder text not null default '',
        vector bytea,
        embed_at timestamptz not null default now(),
        embed_tries integer not null default 0,
        created_at timestamptz not null default now(),
        constraint reference_once_per_owner unique (owner, sha256),
        constraint reference_kind check (kind in ('image', 'video')),
        constraint reference_bytes check (bytes > 0),
        constraint reference_label check (char_length(label) <= 200),
        constraint reference_vector_has_embedder check (vector is null or embedder <> '')
      ) with (fillfactor = 80)`);
    await db.query(`create index reference_to_embed on reference (embedder, embed_at)`);
    await db.query(`
      create table reference_trash (
        blob_key text not null constraint "PK_reference_trash" primary key,
        due_at timestamptz not null,
        sweeping boolean not null default false
      )`);
    await db.query(`create index reference_trash_due on reference_trash (due_at)`);
    await this.count(db);
    await db.query(`alter table job add column used_references jsonb`);
  }

  /**
   * The trigger runs after the insert, so that a row that existed already, and was not inserted again, does not count.
   */
  private async count(db: QueryRunner): Promise<void> {
    await db.query(`
      create function count_reference() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into reference_library as l (owner, assets) values (new.owner, 1)
          on conflict (owner) do update set assets = l.assets + 1;
        else
          update reference_library set assets = assets - 1 where owner = old.owner;
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger reference_counted after insert or delete on reference
      for each row execute function count_reference()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table job drop column used_references');
    await db.query('drop table reference, reference_library, reference_trash');
    await db.query('drop function count_reference()');
  }
}
