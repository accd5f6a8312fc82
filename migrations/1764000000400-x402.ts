import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Payments that callers sign for each call. A payment has no state of its own, because its charge has the state. Its
 * key is the nonce instead of the signature, because each signature has an equivalent one.
 */
export class X402Payments1764000000400 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table x402_payment (
        network text not null,
        asset text not null,
        payer text not null,
        nonce bytea not null,
        charge_id text not null,
        payment_id text,
        pay_to text not null,
        amount_micro bigint not null,
        valid_after bigint not null,
        valid_before bigint not null,
        signature bytea,
        tx_hash text,
        from_block bigint,
        settle_attempts integer not null default 0,
        last_error text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint "PK_x402_payment" primary key (network, asset, payer, nonce),
        constraint x402_payment_one_charge unique (charge_id),
        constraint x402_payment_charge foreign key (charge_id) references charge (id),
        constraint x402_payment_network check (network ~ '^eip155:[0-9]{1,10}$'),
        constraint x402_payment_addresses check (
          asset ~ '^0x[0-9a-f]{40}$' and payer ~ '^0x[0-9a-f]{40}$' and pay_to ~ '^0x[0-9a-f]{40}$'),
        constraint x402_payment_nonce check (octet_length(nonce) = 32),
        constraint x402_payment_identifier_form check (payment_id ~ '^[A-Za-z0-9_-]{16,128}$'),
        constraint x402_payment_amount check (amount_micro > 0),
        constraint x402_payment_window check (valid_after >= 0 and valid_before > valid_after),
        constraint x402_payment_transaction check (tx_hash ~ '^0x[0-9a-f]{64}$'),
        constraint x402_payment_error check (last_error ~ '^[a-z0-9_]{1,60}$'),
        constraint x402_payment_signature_used check (tx_hash is null or signature is null)
      ) with (fillfactor = 70)`);
    // A release removes the identifier from its payment, so that the caller may try the payment again.
    await db.query(
      `create unique index x402_payment_identifier on x402_payment (payer, payment_id) where payment_id is not null`,
    );
    await db.query(`create index x402_payment_newest on x402_payment (created_at)`);

    await db.query(`
      create table x402_payer (
        payer text not null constraint "PK_x402_payer" primary key,
        open_micro bigint not null default 0,
        open_count integer not null default 0,
        strikes integer not null default 0,
        paid_in_micro bigint not null default 0,
        balance_seen_micro bigint,
        paid_in_seen_micro bigint not null default 0,
        constraint x402_payer_address check (payer ~ '^0x[0-9a-f]{40}$'),
        constraint x402_payer_open check (open_micro >= 0 and open_count >= 0 and (open_micro = 0) = (open_count = 0)),
        constraint x402_payer_counts check (strikes >= 0 and paid_in_micro >= 0 and paid_in_seen_micro >= 0),
        constraint x402_payer_exposure check (
          open_micro = 0 or balance_seen_micro is null
          or open_micro + paid_in_micro - paid_in_seen_micro <= balance_seen_micro)
      ) with (fillfactor = 50)`);

    await this.oneAtATime(db);
    await this.chargedIsPaid(db);
    await this.sandboxChain(db);
  }

  /** A payer who once did not pay may still call, but may have only one open call at a time. */
  private async oneAtATime(db: QueryRunner): Promise<void> {
    await db.query(`
      create function x402_payer_opens_one() returns trigger language plpgsql as $$
      begin
        raise exception 'payer % failed to pay before and has a call open', new.payer using errcode = 'LP005';
      end $$`);
    await db.query(`
      create trigger x402_payer_one_at_a_time before update on x402_payer
      for each row when (new.open_count > old.open_count and old.open_count > 0 and old.strikes > 0)
      execute function x402_payer_opens_one()`);
  }

  /** A charge of this rail becomes `charged` only with a transaction that paid exactly its price. */
  private async chargedIsPaid(db: QueryRunner): Promise<void> {
    await db.query(`
      create function x402_charge_is_paid() returns trigger language plpgsql as $$
      begin
        if not exists (
          select from x402_payment p
          where p.charge_id = new.id and p.payer = new.payer and p.amount_micro = new.price_micro
            and (new.state <> 'charged' or p.tx_hash is not null)
        ) then
          raise exception 'charge % has no payment of its price', new.id using errcode = 'LP006';
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger x402_charge_opened after insert on charge
      for each row when (new.rail = 'x402') execute function x402_charge_is_paid()`);
    await db.query(`
      create trigger x402_charge_charged after update on charge
      for each row when (new.rail = 'x402' and new.state = 'charged' and old.state <> 'charged')
      execute function x402_charge_is_paid()`);
  }

  /** The sandbox facilitator has these tables instead of a chain. A wallet without a row here has unlimited money. */
  private async sandboxChain(db: QueryRunner): Promise<void> {
    await db.query(`
      create table sandbox_wallet (
        wallet text not null constraint "PK_sandbox_wallet" primary key,
        balance_micro bigint not null,
        constraint sandbox_wallet_address check (wallet ~ '^0x[0-9a-f]{40}$'),
        constraint sandbox_wallet_never_negative check (balance_micro >= 0)
      )`);
    await db.query(`
      create table sandbox_authorization (
        payer text not null,
        nonce bytea not null,
        outcome text not null,
        pay_to text,
        amount_micro bigint,
        tx_hash text,
        created_at timestamptz not null default now(),
        constraint "PK_sandbox_authorization" primary key (payer, nonce),
        constraint sandbox_authorization_outcome check (outcome in ('used', 'cancelled')),
        constraint sandbox_authorization_transfer check (
          (outcome = 'used') = (pay_to is not null and amount_micro is not null and tx_hash is not null))
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger x402_charge_opened on charge');
    await db.query('drop trigger x402_charge_charged on charge');
    await db.query('drop table sandbox_authorization, sandbox_wallet, x402_payer, x402_payment');
    await db.query('drop function x402_payer_opens_one, x402_charge_is_paid');
  }
}
