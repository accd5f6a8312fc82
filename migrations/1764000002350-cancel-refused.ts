import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a provider bills is not to be cancelled: once it has said so, nobody asks it again. */
export class CancelRefused1764000002350 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table job add column cancel_refused boolean not null default false`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table job drop column cancel_refused`);
  }
}
