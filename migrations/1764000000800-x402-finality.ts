import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A chain may drop its newest blocks, so the service checks each accepted payment again until it is final. Until then
 * it keeps the signature, because only the signature can move the money again.
 */
export class X402Finality1764000000800 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table x402_payment
        add column watch_at timestamptz,
        add column looks integer not null default 0,
        add column lost_at timestamptz,
        drop constraint x402_payment_signature_used,
        add constraint x402_payment_signature_used check (
          tx_hash is null or signature is null or watch_at is not null) not valid,
        add constraint x402_payment_lost check (lost_at is null or watch_at is null) not valid`);
    await db.query('alter table x402_payment validate constraint x402_payment_signature_used');
    await db.query('alter table x402_payment validate constraint x402_payment_lost');
    await db.query('create index x402_payment_watched on x402_payment (watch_at) where watch_at is not null');
    await db.query('create index x402_payment_lost_at on x402_payment (lost_at) where lost_at is not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('update x402_payment set signature = null where tx_hash is not null');
    await db.query(`
      alter table x402_payment
        drop constraint x402_payment_lost,
        drop constraint x402_payment_signature_used,
        drop column watch_at,
        drop column looks,
        drop column lost_at,
        add constraint x402_payment_signature_used check (tx_hash is null or signature is null)`);
  }
}
