import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The usage by day counts the tokens of calls that are charged by usage. Hours that were added up before this migration
 * have no tokens.
 */
export class UsageTokens1764000003110 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table usage_day
        add column input_tokens bigint not null default 0,
        add column output_tokens bigint not null default 0`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table usage_day drop column input_tokens, drop column output_tokens');
  }
}
