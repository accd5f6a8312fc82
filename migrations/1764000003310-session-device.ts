import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The browser that opened a session, as it names itself, so that a person recognises it in a list. */
export class SessionDevice1764000003310 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table session add column device text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table session drop column device');
  }
}
