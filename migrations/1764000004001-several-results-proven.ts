import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the old rows in a separate transaction, so that no call waits for it. */
export class SeveralResultsProven1764000004001 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table job validate constraint job_result_count');
    await db.query('alter table job validate constraint job_all_results');
  }

  async down(): Promise<void> {
    // The constraint is true for all rows, so it can stay validated.
  }
}
