import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The cost of calls at vendors and the revenue of models, by day. Each process writes its own totals of a day, so a
 * repeated write changes nothing.
 */
export class Margins1764000003400 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table vendor_cost_day (
        day date not null,
        provider text not null,
        provider_model text not null,
        model_id text not null,
        process text not null,
        calls bigint not null,
        unused_calls bigint not null,
        cost_micro bigint not null,
        told_micro bigint not null,
        constraint "PK_vendor_cost_day" primary key (day, provider, provider_model, model_id, process),
        constraint vendor_cost_day_adds_up check (
          calls >= unused_calls and unused_calls >= 0 and cost_micro >= told_micro and told_micro >= 0)
      ) with (fillfactor = 50)`);
    await db.query(`
      create table sales_day (
        day date not null,
        model_id text not null,
        calls bigint not null,
        revenue_micro bigint not null,
        constraint "PK_sales_day" primary key (day, model_id)
      ) with (fillfactor = 70)`);
    await db.query(`
      create table sales_cursor (
        id smallint not null default 1 constraint "PK_sales_cursor" primary key,
        through timestamptz not null,
        refunds_through timestamptz not null,
        constraint sales_cursor_is_one check (id = 1)
      )`);
    await db.query('alter table job add column cost_micro bigint');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table job drop column cost_micro');
    await db.query('drop table vendor_cost_day, sales_day, sales_cursor');
  }
}
