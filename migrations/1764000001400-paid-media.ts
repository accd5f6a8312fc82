import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A medium may be made before its charge is decided. Until then nobody can see it, and if the charge is released, it is
 * deleted. The id inside a file leads to a row that names its model, never to its charge. Older files contain the ids
 * of their charges. These charges are listed, because their ids are no longer secret.
 */
export class PaidMedia1764000001400 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table media add column awaits_charge boolean not null default false`);
    await db.query(`
      update media m set awaits_charge = true from job j, charge c
      where j.id = m.job_id and c.id = j.charge_id and c.state not in ('charged', 'refunded')`);
    await db.query(`create index media_awaiting on media (id) where awaits_charge`);
    await db.query(`
      create table provenance (
        id text not null constraint "PK_provenance" primary key,
        model_id text not null,
        sha256 bytea not null,
        created_at timestamptz not null,
        constraint provenance_sha256 check (octet_length(sha256) = 32)
      )`);
    await db.query(`
      create table published_charge (
        id text not null constraint "PK_published_charge" primary key
      )`);
    await db.query(`insert into published_charge select charge_id from job where media_id is not null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table published_charge, provenance');
    await db.query('drop index media_awaiting');
    await db.query('alter table media drop column awaits_charge');
  }
}
