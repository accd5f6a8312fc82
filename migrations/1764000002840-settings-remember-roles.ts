import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A key stores for each setting the role of the member who set it. So a developer can't change a setting of an owner or
 * an admin.
 */
export class SettingsRememberRoles1764000002840 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table api_key add column set_by jsonb not null default '{}'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key drop column set_by');
  }
}
