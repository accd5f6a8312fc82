import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The price and the end of each model as owners know them, so that a change becomes one event for each of them. */
export class AnnouncedModels1764000005420 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table announced_model (
        model_id text not null,
        facts jsonb not null,
        changed_at timestamptz,
        constraint "PK_announced_model" primary key (model_id),
        constraint announced_model_facts check (jsonb_typeof(facts) = 'object')
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table announced_model');
  }
}
