import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A payer who once did not pay may have one open call. The trigger checks the new count, so the rule also holds if one
 * statement opens two calls.
 */
export class OneOpenCall1764000002140 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await this.oneAtATime(db, 'new.open_count > 1');
  }

  async down(db: QueryRunner): Promise<void> {
    await this.oneAtATime(db, 'old.open_count > 0');
  }

  private async oneAtATime(db: QueryRunner, others: string): Promise<void> {
    await db.query(`
      create or replace trigger x402_payer_one_at_a_time before update on x402_payer
      for each row when (new.open_count > old.open_count and ${others} and old.strikes > 0)
      execute function x402_payer_opens_one()`);
  }
}
