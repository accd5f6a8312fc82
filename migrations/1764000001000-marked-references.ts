import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The call with an idempotency key that stored a reference. An idempotency key can store only one reference of its
 * owner.
 */
export class MarkedReferences1764000001000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table reference add column mark text, add column made_by bytea');
    await db.query('create unique index reference_mark on reference (owner, mark) where mark is not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table reference drop column mark, drop column made_by');
  }
}
