import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the rows that the constraint of apps' keys did not read, without a lock. */
export class OauthProven1764000005431 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key validate constraint api_key_app');
  }

  async down(): Promise<void> {
    // A validated constraint allows the same rows as one that is not validated, so there is nothing to undo.
  }
}
