import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The category of the content policy that blocked the result of a job. */
export class BlockedResults1764000003860 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table job add column blocked_category text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table job drop column blocked_category');
  }
}
