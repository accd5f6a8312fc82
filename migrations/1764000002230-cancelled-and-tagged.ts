import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Callers can tag their calls, list their jobs by tag, and cancel a job. */
export class CancelledAndTagged1764000002230 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table charge add column tag text`);
    await db.query(`alter table job add column tag text, add column cancel_asked_at timestamptz`);
    await db.query(`create index job_of_owner on job (owner, id)`);
    await db.query(`create index job_of_owner_tagged on job (owner, tag, id) where tag is not null`);
    await db.query(`drop index job_by_owner`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`create index job_by_owner on job (owner, created_at)`);
    await db.query(`drop index job_of_owner_tagged`);
    await db.query(`drop index job_of_owner`);
    await db.query(`alter table job drop column tag, drop column cancel_asked_at`);
    await db.query(`alter table charge drop column tag`);
  }
}
