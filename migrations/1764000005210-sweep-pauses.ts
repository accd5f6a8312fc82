import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows that a sweep leaves out for a while, so that rows which keep failing do not hold up the others. */
export class SweepPauses1764000005210 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table sweep_pause (
        sweep text not null,
        id text not null,
        failures smallint not null default 0,
        retry_at timestamptz not null,
        constraint "PK_sweep_pause" primary key (sweep, id),
        constraint sweep_pause_failures check (failures >= 0)
      )`);
    await db.query('create index sweep_pause_due on sweep_pause (retry_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table sweep_pause');
  }
}
