import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The challenges that passkeys have answered, so that each works once. */
export class AnsweredChallenges1764000005320 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table answered_challenge (
        challenge_hash bytea not null constraint "PK_answered_challenge" primary key,
        issued_at timestamptz not null,
        constraint answered_challenge_hash check (octet_length(challenge_hash) = 32)
      )`);
    await db.query('create index answered_challenge_by_time on answered_challenge (issued_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table answered_challenge');
  }
}
