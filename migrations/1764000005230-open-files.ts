import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The file of an open batch can't be deleted. The column is empty once the batch has ended, so that an owner may delete
 * the file of an ended batch.
 */
export class OpenFiles1764000005230 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table batch add column open_file_id text');
    await db.query(`
      alter table batch add constraint batch_open_file foreign key (open_file_id) references batch_file (id) not valid`);
    await db.query('create index batch_by_open_file on batch (open_file_id) where open_file_id is not null');
    await db.query(`
      update batch b set open_file_id = f.id from batch_file f where f.id = b.input_file_id and b.ended_at is null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table batch drop column open_file_id');
  }
}
