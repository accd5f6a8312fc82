import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the old rows in a separate transaction, so that no call waits for it. */
export class RailsProven1764000002110 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table charge validate constraint charge_key');
    await db.query('alter table charge validate constraint charge_settles_later');
    await db.query('alter table ledger_account validate constraint ledger_account_id');
  }

  async down(): Promise<void> {
    // The constraint is true for all rows, so it can stay validated.
  }
}
