import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sums of past hours, so that a report about a year need not read the calls of a year. */
export class Rollups1764000002720 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table usage_day (
        payer text not null,
        day date not null,
        model_id text not null,
        key_id text not null,
        calls bigint not null,
        spent_micro bigint not null,
        constraint "PK_usage_day" primary key (payer, day, model_id, key_id)
      ) with (fillfactor = 70)`);
    await db.query(`
      create table usage_cursor (
        id smallint not null default 1 constraint "PK_usage_cursor" primary key,
        through timestamptz not null,
        refunds_through timestamptz not null,
        constraint usage_cursor_is_one check (id = 1)
      )`);
    await db.query(`
      create table model_hour (
        at timestamptz not null,
        model_id text not null,
        kind text not null,
        bucket smallint not null,
        done integer not null,
        failed integer not null,
        is_final boolean not null,
        constraint "PK_model_hour" primary key (at, model_id, kind, bucket)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table usage_day, usage_cursor, model_hour');
  }
}
