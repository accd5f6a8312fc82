import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The alert settings of owners, and their active alerts. */
export class Alerts1764000002380 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table alert_setting (
        owner text not null constraint "PK_alert_setting" primary key,
        balance_low_micro bigint,
        spend_day_micro bigint,
        key_percent jsonb,
        constraint alert_setting_balance check (balance_low_micro >= 0),
        constraint alert_setting_spend check (spend_day_micro > 0)
      )`);
    await db.query(`
      create table alert (
        owner text not null,
        type text not null,
        subject text not null,
        data jsonb not null,
        since timestamptz not null default now(),
        constraint "PK_alert" primary key (owner, type, subject)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table alert, alert_setting');
  }
}
