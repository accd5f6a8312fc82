import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The operation of a charge is a word that its route declares. The database checks only the form of the word, so that
 * modules can add others.
 */
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
