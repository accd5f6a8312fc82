import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The browser that opened a session, as it names itself, so that a person recognises it in a list. */
export class SessionDevice1764000003310 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table session add column device text,
        add constraint session_device_bounded check (length(device) <= 200)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table session drop column device');
  }
}
