import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Payment channels. A row mirrors a channel of the chain and has the total of its charges. The statement that writes a
 * charge changes that total. `open_charge_id` allows one call at a time in a channel. A channel is never deleted,
 * because the total would be lost, and a new voucher could then pay less than the caller got.
 */
export class Channels1764000003000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table channel (
        id text not null constraint "PK_channel" primary key,
        network text not null,
        payer text not null,
        payer_authorizer text not null,
        receiver text not null,
        receiver_authorizer text not null,
        token text not null,
        withdraw_delay integer not null,
        salt text not null,
        payer_proven boolean not null default false,
        base_micro bigint not null,
        charged_micro bigint not null,
        signed_micro bigint not null,
        signature text,
        balance_micro bigint not null,
        claimed_micro bigint not null,
        withdraw_requested_at bigint not null default 0,
        refund_nonce bigint not null default 0,
        synced_at timestamptz not null default now(),
        open_charge_id text,
        open_signed_micro bigint,
        open_signature text,
        refund_until timestamptz,
        claim_until timestamptz,
        used_at timestamptz not null default now(),
        created_at timestamptz not null default now(),
        constraint channel_one_open_call unique (open_charge_id),
        constraint channel_ids check (id ~ '^0x[0-9a-f]{64}$' and salt ~ '^0x[0-9a-f]{64}$'),
        constraint channel_network check (network ~ '^eip155:[0-9]{1,10}$'),
        constraint channel_addresses check (
          payer ~ '^0x[0-9a-f]{40}$' and payer_authorizer ~ '^0x[0-9a-f]{40}$' and receiver ~ '^0x[0-9a-f]{40}$'
          and receiver_authorizer ~ '^0x[0-9a-f]{40}$' and token ~ '^0x[0-9a-f]{40}$'),
        constraint channel_delay check (withdraw_delay between 900 and 2592000),
        constraint channel_totals check (
          base_micro >= 0 and charged_micro >= base_micro and signed_micro >= charged_micro and balance_micro >= 0
          and claimed_micro >= 0),
        constraint channel_signed check (signature is not null or charged_micro = base_micro),
        constraint channel_open check (
          (open_charge_id is null) = (open_signed_micro is null)
          and (open_charge_id is null) = (open_signature is null) and open_signed_micro > charged_micro)
      ) with (fillfactor = 60)`);
    await db.query('create index channel_by_payer on channel (payer)');
    await db.query('create index channel_owed on channel (used_at) where charged_micro > claimed_micro');
    await db.query('create index channel_unclaimed on channel (used_at) where balance_micro > claimed_micro');
    await db.query(`
      create table channel_voucher (
        charge_id text not null constraint "PK_channel_voucher" primary key,
        channel_id text not null,
        signed_micro bigint not null,
        total_micro bigint,
        constraint channel_voucher_charge foreign key (charge_id) references charge (id),
        constraint channel_voucher_channel foreign key (channel_id) references channel (id),
        constraint channel_voucher_ceiling check (signed_micro > 0 and total_micro <= signed_micro)
      )`);
    await db.query('create index channel_voucher_by_channel on channel_voucher (channel_id, signed_micro)');
    await db.query(`
      create table channel_transaction (
        hash text not null,
        kind text not null,
        channel_id text,
        network text not null,
        channels integer not null,
        amount_micro bigint not null,
        created_at timestamptz not null default now(),
        constraint "PK_channel_transaction" primary key (hash, kind),
        constraint channel_transaction_kind check (kind in ('deposit', 'claim', 'payout', 'refund')),
        constraint channel_transaction_hash check (hash ~ '^0x[0-9a-f]{64}$'),
        constraint channel_transaction_amounts check (channels >= 0 and amount_micro >= 0)
      )`);
    await db.query('create index channel_transaction_newest on channel_transaction (created_at)');
    await this.chargedIsSigned(db);
  }

  /**
   * A charge of this rail can be held only with a voucher that covers it, and charged only with the new total of the
   * channel.
   */
  private async chargedIsSigned(db: QueryRunner): Promise<void> {
    await db.query(`
      create function channel_charge_is_signed() returns trigger language plpgsql as $$
      begin
        if not exists (
          select from channel_voucher v join channel c on c.id = v.channel_id
          where v.charge_id = new.id and c.payer = new.payer
            and case new.state
              when 'held' then c.open_charge_id = new.id and c.charged_micro + new.price_micro <= v.signed_micro
              else v.total_micro between new.price_micro and c.charged_micro end
        ) then
          raise exception 'charge % has no voucher of its price', new.id using errcode = 'LP011';
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger channel_charge_opened after insert on charge
      for each row when (new.rail = 'channel') execute function channel_charge_is_signed()`);
    await db.query(`
      create trigger channel_charge_charged after update on charge
      for each row when (new.rail = 'channel' and new.state = 'charged' and old.state <> 'charged')
      execute function channel_charge_is_signed()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger channel_charge_opened on charge');
    await db.query('drop trigger channel_charge_charged on charge');
    await db.query('drop function channel_charge_is_signed');
    await db.query('drop table channel_transaction, channel_voucher, channel');
    // Charges are never deleted. The version before still shows charges of channels, but serves no such calls.
  }
}
