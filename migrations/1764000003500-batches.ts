import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Batches of calls with their files. Each line of a file is a row, so a process that dies leaves no incomplete file.
 * Each call of a batch is a row with a lease, so another process can finish it.
 */
export class Batches1764000003500 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table batch_file (
        id text not null constraint "PK_batch_file" primary key,
        owner text not null,
        key_id text,
        purpose text not null,
        filename text not null,
        bytes bigint not null default 0,
        lines integer not null default 0,
        batch_id text,
        mark text,
        content_hash bytea,
        created_at timestamptz not null default now(),
        ready_at timestamptz,
        expires_at timestamptz not null,
        constraint batch_file_purpose check (purpose in ('batch', 'batch_output', 'batch_error')),
        constraint batch_file_of_batch check ((purpose = 'batch') = (batch_id is null))
      )`);
    await db.query('create index batch_file_by_owner on batch_file (owner, created_at)');
    await db.query('create unique index batch_file_mark on batch_file (owner, mark) where mark is not null');
    await db.query('create index batch_file_by_end on batch_file (expires_at)');
    await db.query(`
      create table batch_file_line (
        file_id text not null constraint batch_file_line_file references batch_file on delete cascade,
        line integer not null,
        sealed bytea not null,
        constraint "PK_batch_file_line" primary key (file_id, line)
      )`);
    await db.query(`
      create table batch (
        id text not null constraint "PK_batch" primary key,
        owner text not null,
        key_id text,
        paying_key_id text not null,
        endpoint text not null,
        input_file_id text not null,
        output_file_id text,
        error_file_id text,
        status text not null,
        metadata jsonb,
        held_micro bigint not null,
        discount_percent smallint not null,
        total integer not null,
        mark text,
        fingerprint bytea not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        started_at timestamptz,
        cancelling_at timestamptz,
        ended_at timestamptz,
        constraint batch_status check (status in
          ('validating', 'failed', 'in_progress', 'completed', 'expired', 'cancelling', 'cancelled')),
        constraint batch_ended check (
          (ended_at is not null) = (status in ('failed', 'completed', 'expired', 'cancelled'))),
        constraint batch_held check (held_micro > 0 and total > 0 and discount_percent between 0 and 100)
      )`);
    await db.query('create index batch_by_owner on batch (owner, created_at)');
    await db.query('create unique index batch_mark on batch (owner, mark) where mark is not null');
    await db.query('create index batch_open on batch (owner) where ended_at is null');
    await db.query('create index batch_by_input on batch (input_file_id)');
    await db.query(`
      create table batch_line (
        batch_id text not null constraint batch_line_batch references batch on delete cascade,
        line integer not null,
        custom_id text not null,
        state text not null,
        tries smallint not null default 0,
        refunds smallint not null default 0,
        due_at timestamptz not null default now(),
        lease_until timestamptz,
        answer bytea,
        answer_bytes integer,
        constraint "PK_batch_line" primary key (batch_id, line),
        constraint batch_line_state check (state in ('waiting', 'running', 'done', 'failed', 'expired', 'dropped')),
        constraint batch_line_lease check ((lease_until is not null) = (state = 'running'))
      ) with (fillfactor = 80)`);
    await db.query(
      `create index batch_line_open on batch_line (batch_id, line) where state in ('waiting', 'running')`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table batch_line, batch, batch_file_line, batch_file');
  }
}
