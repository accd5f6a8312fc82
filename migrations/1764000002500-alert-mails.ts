import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The alert mails to accounts that are not sent yet. */
export class AlertMails1764000002500 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table alert_mail (
        id text not null constraint "PK_alert_mail" primary key,
        owner text not null constraint alert_mail_account references account (id) on delete cascade,
        type text not null,
        data jsonb not null,
        tries integer not null default 0,
        due_at timestamptz default now(),
        created_at timestamptz not null default now()
      )`);
    await db.query('create index alert_mail_due on alert_mail (due_at) where due_at is not null');
    await db.query('create index alert_mail_by_owner on alert_mail (owner)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table alert_mail');
  }
}
