import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A job keeps what its results must have at least. The jobs of the version before have no such value. */
export class LeastResults1764000005343 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table job add column least_result jsonb');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table job drop column least_result');
  }
}
