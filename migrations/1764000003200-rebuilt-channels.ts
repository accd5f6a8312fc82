import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A channel that `recover` rebuilds has a total from the chain and no voucher, because nothing is owed in it. A channel
 * in which something is owed still needs a signature.
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
