import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The transfer that paid a charge. A transaction may contain several transfers, and each can pay only once. The
 * position counts within the transaction, because the chain counts within the block, and that number changes if the
 * block is replaced. Older payments have no position; the reconciliation counts each of their transactions once.
 */
export class OwnTransfers1764000001100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table x402_payment
        add column log_index integer,
        add constraint x402_payment_log_index check (log_index is null or (log_index >= 0 and tx_hash is not null))`);
    await db.query(
      `create unique index x402_payment_transfer on x402_payment (network, tx_hash, log_index) where log_index is not null`,
    );
    await this.chargedIsPaid(
      db,
      "and (new.state <> 'charged' or (p.tx_hash is not null and p.log_index is not null))",
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await this.chargedIsPaid(db, "and (new.state <> 'charged' or p.tx_hash is not null)");
    await db.query('alter table x402_payment drop column log_index');
  }

  private async chargedIsPaid(db: QueryRunner, proof: string): Promise<void> {
    await db.query(`
      create or replace function x402_charge_is_paid() returns trigger language plpgsql as $$
      begin
        if not exists (
          select from x402_payment p
          where p.charge_id = new.id and p.payer = new.payer and p.amount_micro = new.price_micro
            ${proof}
        ) then
          raise exception 'charge % has no payment of its price', new.id using errcode = 'LP006';
        end if;
        return null;
      end $$`);
  }
}
