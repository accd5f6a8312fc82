import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Billing addresses, and an invoice for each paid top-up. An invoice stores a copy of everything that it shows, and
 * never changes. The counter is a row instead of a sequence, so a failed statement uses no number.
 */
export class Invoices1764000003910 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table billing_address (
        account_id text not null constraint "PK_billing_address" primary key
          constraint billing_address_account references account (id),
        name text not null,
        lines text not null,
        country text not null,
        tax_id text,
        constraint billing_address_name check (length(name) between 1 and 200),
        constraint billing_address_lines check (length(lines) between 1 and 500),
        constraint billing_address_country check (country ~ '^[A-Z]{2}$'),
        constraint billing_address_tax_id check (length(tax_id) between 1 and 50)
      )`);
    await db.query(`
      create table invoice_counter (
        id smallint not null constraint "PK_invoice_counter" primary key,
        last bigint not null,
        constraint invoice_counter_one check (id = 1 and last >= 0)
      )`);
    await db.query('insert into invoice_counter (id, last) values (1, 0)');
    await db.query(`
      create table invoice (
        number bigint not null constraint "PK_invoice" primary key,
        top_up_id text not null constraint invoice_top_up references credit_top_up (id),
        seller_name text,
        seller_address text,
        seller_tax_id text,
        buyer_name text,
        buyer_lines text,
        buyer_country text,
        buyer_tax_id text,
        issued_at timestamptz not null default now(),
        constraint invoice_once unique (top_up_id),
        constraint invoice_number check (number > 0)
      )`);
    await db.query(`
      create function invoice_stays() returns trigger language plpgsql as $$
      begin
        raise exception 'an invoice never changes' using errcode = 'LP002';
      end $$`);
    await db.query(`
      create trigger invoice_is_kept before delete or update or truncate on invoice
      for each statement execute function invoice_stays()`);
    await db.query(`
      create function invoice_number_follows() returns trigger language plpgsql as $$
      begin
        raise exception 'the numbers of invoices have no gap' using errcode = 'LP002';
      end $$`);
    await db.query(`
      create trigger invoice_counter_follows before update on invoice_counter
      for each row when (new.last <> old.last + 1) execute function invoice_number_follows()`);
    await db.query(`
      create trigger invoice_counter_stays before delete or truncate on invoice_counter
      for each statement execute function invoice_number_follows()`);
    await db.query(`
      alter table credit_top_up
        add column refunded_micro bigint not null default 0,
        add constraint credit_top_up_refunded check (refunded_micro between 0 and amount_micro) not valid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table credit_top_up drop column refunded_micro');
    await db.query('drop table invoice, invoice_counter, billing_address');
    await db.query('drop function invoice_stays, invoice_number_follows');
  }
}
