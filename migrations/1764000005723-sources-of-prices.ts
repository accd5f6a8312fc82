import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The release and the settings that announced the last change of a model. */
export class SourcesOfPrices1764000005723 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table announced_model add column source text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table announced_model drop column source');
  }
}
