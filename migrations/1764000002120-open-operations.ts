import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a charge is for is a word of the route that sold it; the database holds it to a form, not to a list. */
export class OpenOperations1764000002120 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table charge
        drop constraint charge_operation,
        add constraint charge_operation check (operation ~ '^[a-z][a-z0-9_]{0,29}$') not valid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table charge
        drop constraint charge_operation,
        add constraint charge_operation check (operation in ('chat', 'media', 'top_up', 'studio'))`);
  }
}
