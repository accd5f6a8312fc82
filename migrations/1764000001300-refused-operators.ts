import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who tried to act as an operator and was refused stands in the audit, too. Such an entry is about no account. */
export class RefusedOperators1764000001300 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table admin_audit
        drop constraint admin_audit_action,
        add constraint admin_audit_action check (action ~ '^[a-z_]{1,30}$')`);
  }

  async down(db: QueryRunner): Promise<void> {
    // Entries can't be taken back; those of the newer kind stay, and only new ones are held to the older rule.
    await db.query(`
      alter table admin_audit
        drop constraint admin_audit_action,
        add constraint admin_audit_action check (action in ('ban', 'unban', 'credit')) not valid`);
  }
}
