import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The vendor's bill for the pictures of an answer. */
export class BillsOfPictures1764000005730 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table held_result add column cost_micro bigint');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table held_result drop column cost_micro');
  }
}
