import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One checkpoint a day on the chain. The service writes the row before it sends the transaction, so it never pays twice
 * for a day.
 */
export class TransparencyAnchors1764000003150 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table transparency_anchor (
        day text not null constraint "PK_transparency_anchor" primary key,
        log_id integer not null,
        size bigint not null,
        note text not null,
        network text not null,
        transaction text,
        block bigint,
        constraint transparency_anchor_sent check (transaction is not null or block is null)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table transparency_anchor');
  }
}
