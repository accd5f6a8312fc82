import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The name that the browser of a session sends, so that a person recognises the session in a list. */
export class SessionDevice1764000003310 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table session add column device text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table session drop column device');
  }
}
