import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Models and providers that are disabled now, and in the audit the subject of an action that is about no account. */
export class OffSwitches1764000002730 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table off_switch (
        kind text not null,
        name text not null,
        reason text,
        since timestamptz not null default now(),
        constraint "PK_off_switch" primary key (kind, name),
        constraint off_switch_kind check (kind in ('model', 'provider'))
      )`);
    await db.query('alter table admin_audit add column subject text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table off_switch');
    await db.query('alter table admin_audit drop column subject');
  }
}
