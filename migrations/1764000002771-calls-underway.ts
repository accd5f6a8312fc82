import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Calls that are being prepared and have no charge yet. A call that is marked as a retry waits for the earlier call
 * instead of running beside it.
 */
export class CallsUnderway1764000002771 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table call_underway (
        id text not null,
        caller text not null,
        fingerprint bytea not null,
        until timestamptz not null,
        constraint "PK_call_underway" primary key (id)
      )`);
    await db.query('create index call_underway_same on call_underway (caller, fingerprint)');
    await db.query('create index call_underway_until on call_underway (until)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table call_underway');
  }
}
