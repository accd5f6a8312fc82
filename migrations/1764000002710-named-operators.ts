import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The operator of an action. Older entries have no name, because all operators had one token. */
export class NamedOperators1764000002710 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table admin_audit add column operator text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table admin_audit drop column operator');
  }
}
