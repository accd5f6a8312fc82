import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the link of an invite went to its address by mail and to nobody else, which proves who reads that mail. */
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
