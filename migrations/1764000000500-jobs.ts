import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Work at providers and its outcome. The outcome of a job and the state of its charge are two facts in two tables. */
export class Jobs1764000000500 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table job (
        id text not null constraint "PK_job" primary key,
        charge_id text not null constraint job_charge references charge (id),
        owner text not null,
        kind text not null,
        mode text not null,
        model_id text not null,
        status text not null default 'running',
        provider text,
        provider_model text,
        provider_ref text,
        seconds integer,
        size text,
        progress smallint,
        media_id text,
        error_code text,
        usual_seconds integer not null,
        poll_at timestamptz not null default now(),
        polls integer not null default 0,
        deadline_at timestamptz not null,
        created_at timestamptz not null default now(),
        accepted_at timestamptz,
        finished_at timestamptz,
        settled_late boolean not null default false,
        constraint job_once_per_charge unique (charge_id),
        constraint job_kind check (kind in ('image', 'video')),
        constraint job_status check (status in ('running', 'done', 'failed')),
        constraint job_accepted check ((provider_ref is null) = (accepted_at is null)),
        constraint job_done check ((status = 'done') = (media_id is not null)),
        constraint job_failed check ((status = 'failed') = (error_code is not null)),
        constraint job_finished check ((status = 'running') = (finished_at is null)),
        constraint job_progress check (progress between 0 and 100)
      ) with (fillfactor = 70)`);
    await db.query(
      `create unique index job_provider_ref on job (provider, provider_ref) where provider_ref is not null`,
    );
    await db.query(`create index job_due on job (poll_at) where status = 'running'`);
    await db.query(
      `create index job_failed_unsettled on job (finished_at) where status = 'failed' and not settled_late`,
    );
    await db.query(`create index job_by_owner on job (owner, created_at)`);
    await db.query(`
      create table media (
        id text not null constraint "PK_media" primary key,
        job_id text not null constraint media_job references job (id),
        blob_key text not null,
        mime text not null,
        bytes bigint not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        constraint media_once_per_job unique (job_id),
        constraint media_bytes check (bytes > 0)
      )`);
    await db.query(`create index media_expiry on media (expires_at)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table job drop constraint job_done');
    await db.query('drop table media, job');
  }
}
