import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the old rows in a separate transaction, so that no call waits for it. */
export class OpenFilesProven1764000005231 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table batch validate constraint batch_open_file');
  }

  async down(): Promise<void> {
    // A validated constraint allows the same rows as one that is not validated, so there is nothing to undo.
  }
}
