import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why a vendor did not list its models when it was last asked. */
export class ListProblems1764000005710 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table vendor_list add column problem text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      "delete from vendor_list where models = '[]'; alter table vendor_list drop column problem",
    );
  }
}
