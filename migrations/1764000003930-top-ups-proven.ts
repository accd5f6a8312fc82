import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Looks through the old rows in a transaction of its own, so that nobody waits for it. */
export class TopUpsProven1764000003930 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table credit_top_up validate constraint credit_top_up_refunded');
    await db.query('alter table credit_top_up validate constraint credit_top_up_automatic');
  }

  async down(): Promise<void> {
    // What holds of all rows need not be forgotten.
  }
}
