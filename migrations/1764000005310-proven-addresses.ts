import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether an account waits for the proof of its address, and the time of the proof. Existing accounts do not wait. */
export class ProvenAddresses1764000005310 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'alter table account add column proof_due boolean not null default false, add column proven_at timestamptz',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table account drop column proof_due, drop column proven_at');
  }
}
