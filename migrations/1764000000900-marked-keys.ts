import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The call that made a key. If the same call is repeated, it gets the same key. A different call with the same
 * idempotency key is refused.
 */
export class MarkedKeys1764000000900 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key add column made_by bytea');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key drop column made_by');
  }
}
