import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A job has one or several results, and is done only with all of them. The check also applies to a process of the
 * version before, which would store only one result of a job with several paid results.
 */
export class SeveralResults1764000004000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'alter table job add column result_count smallint not null default 1, add column further_media_ids text[]',
    );
    await db.query(`
      alter table job add constraint job_result_count check (result_count between 1 and 100) not valid,
        add constraint job_all_results check (
          cardinality(coalesce(further_media_ids, '{}')) = case status when 'done' then result_count - 1 else 0 end)
        not valid`);
    await db.query(`
      alter table media drop constraint media_once_per_job,
        add constraint media_once_per_blob unique (job_id, blob_key)`);
    await db.query('alter table held_result add column lengths integer[]');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table held_result drop column lengths');
    await db.query(
      'delete from media m using job j where j.id = m.job_id and m.id = any(j.further_media_ids)',
    );
    await db.query(`
      alter table media drop constraint media_once_per_blob, add constraint media_once_per_job unique (job_id)`);
    await db.query('alter table job drop column result_count, drop column further_media_ids');
  }
}
