import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A channel that `recover` rebuilds has a total from the chain, and no voucher. Nothing is owed there. What is owed needs
 * a signature as before.
 */
export class RebuiltChannels1764000003200 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table channel drop constraint channel_signed, add constraint channel_signed
      check (signature is not null or charged_micro = base_micro or charged_micro <= claimed_micro) not valid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table channel drop constraint channel_signed, add constraint channel_signed
      check (signature is not null or charged_micro = base_micro) not valid`);
  }
}
