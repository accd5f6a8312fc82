import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The request log groups the calls of a session. */
export class SessionsOfCalls1764000005360 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table call_session (
        charge_id text not null constraint "PK_call_session" primary key,
        owner text not null,
        session text not null,
        created_at timestamptz not null default now()
      )`);
    await db.query('create index call_session_by_owner on call_session (owner, session, charge_id)');
    await db.query('create index call_session_by_time on call_session (created_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table call_session');
  }
}
