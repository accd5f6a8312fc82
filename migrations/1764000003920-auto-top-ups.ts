import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Automatic top-ups by a saved card. Each is a usual top-up. The service writes its row before it charges the card. An
 * account has at most one undecided automatic top-up.
 */
export class AutoTopUps1764000003920 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table auto_top_up (
        account_id text not null constraint "PK_auto_top_up" primary key
          constraint auto_top_up_account references account (id),
        customer text,
        payment_method text,
        card text,
        card_by text constraint auto_top_up_person references account (id),
        setup_reference text,
        setup_by text,
        enabled boolean not null default false,
        below_micro bigint,
        amount_micro bigint,
        month_micro bigint,
        failures smallint not null default 0,
        last_failure text,
        retry_at timestamptz,
        constraint auto_top_up_amounts check (
          below_micro > 0 and amount_micro between 1000000 and 500000000 and month_micro >= amount_micro),
        constraint auto_top_up_card check (
          num_nulls(payment_method, card, card_by) in (0, 3) and (payment_method is null or customer is not null)),
        constraint auto_top_up_enabled check (
          not enabled or num_nulls(payment_method, below_micro, amount_micro, month_micro) = 0),
        constraint auto_top_up_failures check ((failures = 0) = (last_failure is null))
      )`);
    await db.query('create index auto_top_up_enabled_ones on auto_top_up (account_id) where enabled');
    await db.query(`
      alter table credit_top_up
        add column automatic boolean not null default false,
        add column customer text,
        add column payment_method text,
        add constraint credit_top_up_automatic check (
          not automatic or num_nulls(customer, payment_method) = 0) not valid`);
    await db.query(`
      create unique index credit_top_up_one_automatic on credit_top_up (account_id)
      where automatic and state = 'pending'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'alter table credit_top_up drop column automatic, drop column customer, drop column payment_method',
    );
    await db.query('drop table auto_top_up');
  }
}
