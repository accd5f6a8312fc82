import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The changes of models by operators: prices of their own, flags, the order of routes, and held prices they agreed to. */
export class ModelChoices1764000005410 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table model_choice (
        model_id text not null,
        changes jsonb not null,
        changed_at timestamptz not null default now(),
        constraint "PK_model_choice" primary key (model_id),
        constraint model_choice_changes check (jsonb_typeof(changes) = 'object')
      )`);
    await db.query(`
      create table list_agreement (
        vendor text not null,
        model text not null,
        rates jsonb,
        agreed_at timestamptz not null default now(),
        constraint "PK_list_agreement" primary key (vendor, model),
        constraint list_agreement_rates check ((rates is null) = (model = ''))
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table list_agreement');
    await db.query('drop table model_choice');
  }
}
