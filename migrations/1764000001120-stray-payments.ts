import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Payments that a processor has taken and that bought no credits. They wait for an operator's decision. */
export class StrayPayments1764000001120 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table stray_payment (
        id text not null constraint "PK_stray_payment" primary key,
        processor text not null,
        reference text not null,
        event_id text not null,
        top_up_id text,
        account_id text,
        outcome text not null,
        amount_micro bigint,
        currency text,
        state text not null default 'open',
        created_at timestamptz not null default now(),
        resolved_at timestamptz,
        constraint stray_payment_once unique (processor, reference),
        constraint stray_payment_state check (state in ('open', 'credited', 'closed')),
        constraint stray_payment_resolved check ((state = 'open') = (resolved_at is null)),
        constraint stray_payment_amount check (amount_micro >= 0)
      )`);
    // Payments that were refused before the tables stored amounts still belong to somebody, so they get rows as well.
    await db.query(`
      insert into stray_payment (id, processor, reference, event_id, top_up_id, account_id, outcome, created_at)
      select 'sp_' || md5(e.id), e.processor, coalesce(t.reference, e.id), e.id, e.top_up_id, t.account_id, e.outcome,
        e.created_at
      from payment_event e left join credit_top_up t on t.id = e.top_up_id
      where e.outcome in ('wrong_amount', 'wrong_currency')
      on conflict do nothing`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table stray_payment');
  }
}
