import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether the service sent the link of an invite only by mail to its address. The use of such a link proves the
 * address.
 */
export class ProvenInvites1764000002850 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table invite add column email_proven boolean not null default false');
    await db.query(`
      alter table invite add constraint invite_proves_an_address check (email is not null or not email_proven) not valid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table invite drop column email_proven');
  }
}
