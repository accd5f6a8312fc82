import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pictures that a provider returns at once. They stay here until their job has stored them. */
export class HeldResults1764000000650 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table held_result (
        id text not null constraint "PK_held_result" primary key,
        reference text not null constraint held_result_reference unique,
        state text not null default 'waiting'
          constraint held_result_state check (state in ('waiting', 'kept', 'failed')),
        data bytea,
        awaited_until timestamptz not null,
        taken_at timestamptz,
        created_at timestamptz not null default now(),
        constraint held_result_kept_has_data check ((state = 'kept') = (data is not null))
      )`);
    await db.query('create index held_result_created on held_result (created_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table held_result');
  }
}
