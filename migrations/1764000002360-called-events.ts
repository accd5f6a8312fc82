import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An index of the events that go to the webhook address of their call. They are few, and fan-out searches for them each
 * time that the log grows.
 */
export class CalledEvents1764000002360 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create index event_called on event (written)
      where type in ('job.done', 'job.failed') and data->>'webhook_url' is not null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index event_called');
  }
}
