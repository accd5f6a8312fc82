import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The event log, for callers and their webhooks. A row never changes. Its position is the number of the first watermark
 * that contains the transaction which wrote the row. So an event that commits late is never behind the cursor of a
 * reader (ADR 20). The outcome of a charge needs no row, because the charge stores the transaction that decided it.
 */
export class EventLog1764000002210 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table event (
        id text not null constraint "PK_event" primary key,
        owner text not null,
        type text not null,
        data jsonb not null,
        created_at timestamptz not null default now(),
        written bigint not null default pg_current_xact_id()::text::bigint,
        constraint event_id check (id ~ '^evt_.{1,80}$')
      )`);
    await db.query(`
      create function event_is_written() returns trigger language plpgsql as $$
      begin
        perform pg_notify('event_written', '');
        return null;
      end $$`);
    await db.query(
      'create trigger event_written after insert on event for each row execute function event_is_written()',
    );
    await db.query('create index event_by_owner on event (owner, written)');
    await db.query('create index event_by_written on event (written)');
    await db.query('create index event_by_time on event (created_at)');
    await db.query(`
      create table event_watermark (
        position bigint not null constraint "PK_event_watermark" primary key,
        snapshot text not null,
        lower bigint not null,
        upper bigint not null,
        seen_at timestamptz not null default clock_timestamp()
      )`);
    await db.query('create index event_watermark_upper on event_watermark (upper, position)');
    await db.query('create index event_watermark_lower on event_watermark (lower, position)');
    await db.query(`
      insert into event_watermark (position, snapshot, lower, upper)
      select 1, s::text, pg_snapshot_xmin(s)::text::bigint, pg_snapshot_xmax(s)::text::bigint from pg_current_snapshot() s`);
    await db.query('alter table charge add column decided bigint');
    await db.query('create index charge_by_decision on charge (payer, decided) where decided is not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index charge_by_decision');
    await db.query('alter table charge drop column decided');
    await db.query('drop table event_watermark');
    await db.query('drop table event');
    await db.query('drop function event_is_written');
  }
}
