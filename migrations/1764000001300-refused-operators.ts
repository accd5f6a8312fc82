import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit also records refused attempts to act as an operator. Such an entry is about no account. */
export class RefusedOperators1764000001300 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table admin_audit
        drop constraint admin_audit_action,
        add constraint admin_audit_action check (action ~ '^[a-z_]{1,30}$')`);
  }

  async down(db: QueryRunner): Promise<void> {
    // Nobody can delete audit entries. Entries of the newer kind stay, and the older rule applies only to new ones.
    await db.query(`
      alter table admin_audit
        drop constraint admin_audit_action,
        add constraint admin_audit_action check (action in ('ban', 'unban', 'credit')) not valid`);
  }
}
