import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The disks on which processes keep media. If there are several at the same time, the processes do not share one disk.
 */
export class DiskStores1764000002700 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table disk_store (
        mark text not null constraint "PK_disk_store" primary key,
        seen_at timestamptz not null default now()
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table disk_store');
  }
}
