import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the old rows in a separate transaction, so that no call waits for it. */
export class DebitsOfModulesProven1764000002911 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table ledger_entry validate constraint ledger_entry_origin');
  }

  async down(): Promise<void> {
    // The constraint is true for all rows, so it can stay validated.
  }
}
