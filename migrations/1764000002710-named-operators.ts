import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which operator it was. Entries of before have no name: there was one token for all. */
export class NamedOperators1764000002710 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table admin_audit add column operator text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table admin_audit drop column operator');
  }
}
