import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The owners of a changed model are found in steps, because a service may have more charges than one statement can read. */
export class InformedOwners1764000005500 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'alter table announced_model add column pending jsonb, add column informed_to timestamptz',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table announced_model drop column informed_to, drop column pending');
  }
}
