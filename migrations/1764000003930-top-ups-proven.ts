import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the old rows in a separate transaction, so that no call waits for it. */
export class TopUpsProven1764000003930 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table credit_top_up validate constraint credit_top_up_refunded');
    await db.query('alter table credit_top_up validate constraint credit_top_up_automatic');
  }

  async down(): Promise<void> {
    // The constraint is true for all rows, so it can stay validated.
  }
}
