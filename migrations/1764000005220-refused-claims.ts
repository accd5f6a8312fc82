import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A channel whose claim fails is put aside, and one whose claim was refused takes no new calls. */
export class RefusedClaims1764000005220 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table channel add column claim_failures smallint not null default 0, add column claim_refused_at timestamptz`);
    // The open and the claimed totals of contract wallets are added up before each of their calls.
    await db.query(`
      create index channel_of_contracts on channel (network)
      where payer_authorizer = '0x0000000000000000000000000000000000000000'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index channel_of_contracts');
    await db.query('alter table channel drop column claim_failures, drop column claim_refused_at');
  }
}
