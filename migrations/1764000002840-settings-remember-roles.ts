import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The settings of a key say in which role somebody set them: who looks after members is not undone by a developer. */
export class SettingsRememberRoles1764000002840 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table api_key add column set_by jsonb not null default '{}'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key drop column set_by');
  }
}
