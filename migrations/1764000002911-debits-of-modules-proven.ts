import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Looks through the old rows in a transaction of its own, so that nobody waits for it. */
export class DebitsOfModulesProven1764000002911 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table ledger_entry validate constraint ledger_entry_origin');
  }

  async down(): Promise<void> {
    // What holds of all rows need not be forgotten.
  }
}
