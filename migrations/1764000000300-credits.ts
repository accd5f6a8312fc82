import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Purchases of credits, and the actions of operators. The money itself is in the ledger. */
export class Credits1764000000300 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table credit_top_up (
        id text not null constraint "PK_credit_top_up" primary key,
        account_id text not null constraint credit_top_up_account references account (id),
        amount_micro bigint not null,
        processor text not null,
        reference text,
        checkout_url text,
        mark text,
        state text not null default 'pending',
        refusal text,
        created_at timestamptz not null default now(),
        decided_at timestamptz,
        constraint credit_top_up_amount check (amount_micro between 1000000 and 500000000),
        constraint credit_top_up_processor check (processor in ('sandbox', 'stripe')),
        constraint credit_top_up_reference unique (processor, reference),
        constraint credit_top_up_mark unique (account_id, mark),
        constraint credit_top_up_state check (state in ('pending', 'paid', 'refused')),
        constraint credit_top_up_decided check ((state = 'pending') = (decided_at is null)),
        constraint credit_top_up_refusal check ((state = 'refused') = (refusal is not null))
      )`);
    await db.query(`create index credit_top_up_by_account on credit_top_up (account_id, created_at)`);

    // Each event of a processor, once, even if it had no effect, because operators must be able to find a refused
    // payment.
    await db.query(`
      create table payment_event (
        id text not null constraint "PK_payment_event" primary key,
        processor text not null,
        kind text not null,
        top_up_id text,
        outcome text not null,
        created_at timestamptz not null default now()
      )`);

    await db.query(`
      create table admin_audit (
        seq bigint generated always as identity constraint "PK_admin_audit" primary key,
        action text not null,
        account_id text not null,
        amount_micro bigint,
        reason text,
        mark text,
        request_id text not null,
        ip text not null,
        created_at timestamptz not null default now(),
        constraint admin_audit_action check (action in ('ban', 'unban', 'credit')),
        constraint admin_audit_mark unique (mark),
        constraint admin_audit_credit check ((action = 'credit') = (amount_micro is not null)),
        constraint admin_audit_amount check (amount_micro > 0)
      )`);
    await db.query(`
      create function audit_is_append_only() returns trigger language plpgsql as $$
      begin
        raise exception 'the audit is append-only' using errcode = 'LP002';
      end $$`);
    await db.query(`
      create trigger admin_audit_append_only before update or delete or truncate on admin_audit
      for each statement execute function audit_is_append_only()`);

    // Operators search for the few released and refunded charges. Without this index, they would read all others as
    // well.
    await db.query(
      `create index charge_undone on charge (state, id) where state in ('refunded', 'released')`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index charge_undone');
    await db.query('drop table admin_audit, payment_event, credit_top_up');
    await db.query('drop function audit_is_append_only');
  }
}
