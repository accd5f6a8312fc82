import type { MigrationInterface, QueryRunner } from 'typeorm';

/** In the sandbox a nonce can be used once on each network. Older rows have an empty network. */
export class SeveralNetworks1764000003700 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table sandbox_authorization add column network text not null default ''`);
    await db.query(`
      alter table sandbox_authorization drop constraint "PK_sandbox_authorization",
        add constraint "PK_sandbox_authorization" primary key (network, payer, nonce)`);
  }

  /** Without the network, equal nonces collide, so only the first one stays. */
  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      delete from sandbox_authorization a using sandbox_authorization b
      where a.payer = b.payer and a.nonce = b.nonce and (a.created_at, a.network) > (b.created_at, b.network)`);
    await db.query(`
      alter table sandbox_authorization drop constraint "PK_sandbox_authorization",
        add constraint "PK_sandbox_authorization" primary key (payer, nonce)`);
    await db.query('alter table sandbox_authorization drop column network');
  }
}
