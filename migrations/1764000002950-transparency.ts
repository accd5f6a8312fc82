import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The transparency log. It reads the rows that the statements of money already write. The BRIN index of the entries'
 * transactions has no measurable cost for an insert, because entries arrive nearly in this order.
 */
export class Transparency1764000002950 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A separate statement sets the default, because a new column with a default that is not constant would rewrite the
    // table. Older entries have no value.
    await db.query('alter table ledger_entry add column written bigint');
    await db.query(
      'alter table ledger_entry alter column written set default pg_current_xact_id()::text::bigint',
    );
    await db.query(
      'create index ledger_entry_written on ledger_entry using brin (written) with (pages_per_range = 16, autosummarize = on)',
    );
    await db.query('create index charge_decided on charge (decided) where decided is not null');
    await db.query(`
      create table transparency_log (
        id integer not null constraint "PK_transparency_log" primary key,
        mark text not null,
        origin text not null,
        follows text,
        size bigint not null default 0,
        since bigint not null,
        account_cursor text not null default '',
        charge_cursor text not null default '',
        is_caught_up boolean not null default false,
        published_size bigint not null default 0,
        note text,
        published_at timestamptz,
        constraint transparency_log_sizes check (published_size between 0 and size)
      ) with (fillfactor = 50)`);
    await db.query(`
      create table transparency_leaf (
        log_id integer not null,
        leaf_index bigint not null,
        entry_id text not null,
        owner text not null,
        seq bigint not null,
        balance_micro bigint not null,
        at timestamptz not null,
        salt bytea not null,
        commitment bytea not null,
        constraint "PK_transparency_leaf" primary key (log_id, leaf_index),
        constraint transparency_leaf_hash check (octet_length(salt) = 32 and octet_length(commitment) = 32)
      )`);
    await db.query('create unique index transparency_leaf_once on transparency_leaf (log_id, entry_id)');
    await db.query(
      'create index transparency_leaf_by_owner on transparency_leaf (log_id, owner, leaf_index) include (at)',
    );
    await db.query(`
      create table transparency_tile (
        log_id integer not null,
        level smallint not null,
        tile bigint not null,
        hashes bytea not null,
        constraint "PK_transparency_tile" primary key (log_id, level, tile),
        constraint transparency_tile_width check (octet_length(hashes) between 32 and 8192)
      )`);
    await db.query(`
      create trigger transparency_leaf_append_only before update or delete or truncate on transparency_leaf
      for each statement execute function ledger_is_append_only()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table transparency_tile, transparency_leaf, transparency_log');
    await db.query('drop index charge_decided');
    await db.query('drop index ledger_entry_written');
    await db.query('alter table ledger_entry drop column written');
  }
}
