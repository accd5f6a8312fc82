import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The person who uploaded a file. Developers see only their own files. Older files belong to nobody of them. */
export class MakersOfFiles1764000005300 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table batch_file add column member_id text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table batch_file drop column member_id');
  }
}
