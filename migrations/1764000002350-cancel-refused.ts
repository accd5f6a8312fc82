import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A provider may refuse to cancel work that it bills. The job stores the refusal, so the service does not ask again.
 */
export class CancelRefused1764000002350 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table job add column cancel_refused boolean not null default false`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table job drop column cancel_refused`);
  }
}
