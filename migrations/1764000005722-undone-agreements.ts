import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The model of a vendor's list before an operator agreed to its held price, so that the agreement can be undone. */
export class UndoneAgreements1764000005722 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table list_agreement add column before jsonb');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table list_agreement drop column before');
  }
}
