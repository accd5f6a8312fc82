import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which marked call stored a reference. A mark stores one thing of its owner, whatever else comes with it. */
export class MarkedReferences1764000001000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table reference add column mark text, add column made_by bytea');
    await db.query('create unique index reference_mark on reference (owner, mark) where mark is not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table reference drop column mark, drop column made_by');
  }
}
