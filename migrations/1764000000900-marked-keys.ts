import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which call made a key: the same call again is shown the same key, and another call with its mark is refused. */
export class MarkedKeys1764000000900 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key add column made_by bytea');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key drop column made_by');
  }
}
