import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Postgres keeps the plan of a trigger's query until it analyses a table. In a new database that takes a minute. Until
 * then, a plan from the first calls reads the whole ledger for every call. The proofs of the ledger look for single rows,
 * so their plans must always use the indexes.
 */
export class ProofsByIndex1764000005700 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter function prove_ledger_entries() set enable_seqscan = off');
    await db.query('alter function prove_ledger_accounts() set enable_seqscan = off');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter function prove_ledger_entries() reset enable_seqscan');
    await db.query('alter function prove_ledger_accounts() reset enable_seqscan');
  }
}
