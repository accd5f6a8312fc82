import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A delegated key does not see the files and batches of its owner, so its idempotency keys must be separate. */
export class BatchMarksByKey1764000003501 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('drop index batch_file_mark, batch_mark');
    await db.query(
      `create unique index batch_file_mark on batch_file (owner, coalesce(key_id, ''), mark) where mark is not null`,
    );
    await db.query(
      `create unique index batch_mark on batch (owner, coalesce(key_id, ''), mark) where mark is not null`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index batch_file_mark, batch_mark');
    await db.query('create unique index batch_file_mark on batch_file (owner, mark) where mark is not null');
    await db.query('create unique index batch_mark on batch (owner, mark) where mark is not null');
  }
}
