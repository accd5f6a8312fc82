import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Balances, charges and the ledger. The tables themselves enforce the rules of money, so no code can bypass them. Two
 * hot tables have statement triggers instead of foreign keys. One check for each statement costs the same for one row
 * and for two hundred. It can also check more: that the chain of entries is unbroken, and that a refund equals its
 * debit.
 */
export class Money1764000000200 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table ledger_account (
        id text not null constraint "PK_ledger_account" primary key,
        balance_micro bigint not null default 0,
        reserved_micro bigint not null default 0,
        last_seq bigint not null default 0,
        constraint ledger_account_id check (id ~ '^(wallet:0x[0-9a-f]{40}|credits:acc_[A-Za-z0-9_-]{10,60})$'),
        constraint ledger_account_never_negative check (balance_micro >= 0),
        constraint ledger_account_reserve check (reserved_micro between 0 and balance_micro)
      ) with (fillfactor = 50)`);

    await db.query(`
      create table charge (
        id text not null constraint "PK_charge" primary key,
        rail text not null,
        operation text not null,
        payer text not null,
        account_id text,
        key_id text,
        model_id text,
        state text not null,
        price_micro bigint not null,
        list_micro bigint not null,
        discount_percent smallint not null default 0,
        fingerprint bytea not null,
        mark text,
        job_id text,
        lease_until timestamptz,
        created_at timestamptz not null default now(),
        settled_at timestamptz,
        refunded_at timestamptz,
        constraint charge_rail check (rail in ('x402', 'wallet', 'api-key')),
        constraint charge_operation check (operation in ('chat', 'media', 'top_up', 'studio')),
        constraint charge_state check (state in ('held', 'settling', 'charged', 'refunded', 'released')),
        constraint charge_price check (price_micro > 0 and list_micro >= price_micro),
        constraint charge_discount check (discount_percent between 0 and 100),
        constraint charge_prepaid_account check ((rail = 'x402') = (account_id is null)),
        constraint charge_key check ((rail = 'api-key') or key_id is null),
        constraint charge_fingerprint check (octet_length(fingerprint) = 32),
        constraint charge_settling_is_x402 check (state <> 'settling' or rail = 'x402'),
        constraint charge_settled check ((state in ('charged', 'refunded')) = (settled_at is not null)),
        constraint charge_refunded check ((state = 'refunded') = (refunded_at is not null)),
        constraint charge_leased check ((state in ('held', 'settling')) = (lease_until is not null))
      ) with (fillfactor = 70)`);
    // An idempotency key belongs to one call. After a release, another try may use it again.
    await db.query(
      `create unique index charge_mark on charge (payer, mark) where mark is not null and state <> 'released'`,
    );
    await db.query(`create index charge_leases on charge (lease_until) where state in ('held', 'settling')`);
    await db.query(`create index charge_by_payer on charge (payer, created_at)`);

    // No index has only the id. For the newest entry of an account, the planner would read such an index backwards
    // through all accounts.
    await db.query(`
      create table ledger_entry (
        account_id text not null,
        seq bigint not null,
        kind text not null,
        amount_micro bigint not null,
        balance_after_micro bigint not null,
        charge_id text,
        model_id text,
        source text,
        transaction text,
        created_at timestamptz not null default now(),
        constraint "PK_ledger_entry" primary key (account_id, seq),
        constraint ledger_entry_seq check (seq > 0),
        constraint ledger_entry_kind check (kind in ('top_up', 'debit', 'refund')),
        constraint ledger_entry_amount check (amount_micro > 0),
        constraint ledger_entry_balance check (balance_after_micro >= 0),
        constraint ledger_entry_charge check (kind = 'top_up' or charge_id is not null),
        constraint ledger_entry_source check ((kind = 'top_up') = (source is not null))
      )`);
    await db.query(
      `create unique index ledger_entry_once_per_charge on ledger_entry (charge_id, kind) where charge_id is not null`,
    );
    await db.query(
      `create unique index ledger_entry_once_per_source on ledger_entry (source) where source is not null`,
    );

    await db.query(`
      create table replay (
        charge_id text not null constraint "PK_replay" primary key,
        status smallint not null,
        answer bytea not null,
        expires_at timestamptz not null,
        delivered_at timestamptz
      ) with (fillfactor = 70)`);
    await db.query(`create index replay_expiry on replay (expires_at)`);

    await db.query(`
      create table key_spend (
        key_id text not null,
        day date not null,
        spent_micro bigint not null,
        calls bigint not null,
        last_at timestamptz not null default now(),
        constraint "PK_key_spend" primary key (key_id, day),
        constraint key_spend_never_negative check (spent_micro >= 0 and calls >= 0)
      ) with (fillfactor = 70)`);

    await this.limitKeys(db);
    await this.forbidRewriting(db);
    await this.proveEachStatement(db);
    await this.onlyForward(db);
  }

  /**
   * The limit of a key holds for concurrent calls, too. Each write locks today's row, and the sums of other days can
   * only fall.
   */
  private async limitKeys(db: QueryRunner): Promise<void> {
    await db.query(`
      create function key_stays_within_limit() returns trigger language plpgsql as $$
      declare
        allowed bigint := (select spend_limit_micro from api_key where id = new.key_id);
      begin
        if allowed is not null and allowed < (
          select sum(spent_micro) from key_spend
          where key_id = new.key_id and day > (now() at time zone 'utc')::date - 30
        ) then
          raise exception 'the spend limit of key % is reached', new.key_id using errcode = 'LP001';
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger key_spend_limit_insert after insert on key_spend
      for each row execute function key_stays_within_limit()`);
    await db.query(`
      create trigger key_spend_limit_update after update on key_spend
      for each row when (new.spent_micro > old.spent_micro) execute function key_stays_within_limit()`);
  }

  /** The tables only grow. Even an operator with psql must write a new entry to correct an old one. */
  private async forbidRewriting(db: QueryRunner): Promise<void> {
    await db.query(`
      create function ledger_is_append_only() returns trigger language plpgsql as $$
      begin
        raise exception 'the ledger is append-only: write a new entry instead' using errcode = 'LP002';
      end $$`);
    await db.query(`
      create trigger ledger_entry_append_only before update or delete or truncate on ledger_entry
      for each statement execute function ledger_is_append_only()`);
    await db.query(`
      create trigger charge_is_kept before delete or truncate on charge
      for each statement execute function ledger_is_append_only()`);
    await db.query(`
      create trigger ledger_account_is_kept before delete or truncate on ledger_account
      for each statement execute function ledger_is_append_only()`);
  }

  /**
   * Triggers check each statement: a changed balance equals its newest entry, the chain of entries is unbroken, and a
   * refund equals its debit.
   */
  private async proveEachStatement(db: QueryRunner): Promise<void> {
    await db.query(`
      create function prove_ledger_entries() returns trigger language plpgsql as $$
      begin
        if exists (
          select from (
            select e.balance_after_micro as said,
              coalesce(
                lag(e.balance_after_micro) over chain,
                (select p.balance_after_micro from ledger_entry p where p.account_id = e.account_id and p.seq = e.seq - 1),
                case when e.seq = 1 then 0 end
              ) + case when e.kind = 'debit' then -e.amount_micro else e.amount_micro end as true_after,
              e.seq - coalesce(lag(e.seq) over chain, e.seq - 1) as step
            from added e window chain as (partition by e.account_id order by e.seq)
          ) link where said is distinct from true_after or step <> 1
        ) then
          raise exception 'a ledger entry does not continue its chain' using errcode = 'LP003';
        end if;
        if exists (
          select from (select account_id, max(seq) as seq from added group by account_id) newest
          left join ledger_account a on a.id = newest.account_id
          where a.last_seq is distinct from newest.seq
        ) then
          raise exception 'ledger entries without their balance' using errcode = 'LP003';
        end if;
        if exists (
          select from added e
          left join ledger_entry d on d.charge_id = e.charge_id and d.kind = 'debit'
          left join charge c on c.id = e.charge_id
          where e.kind = 'refund' and not coalesce(
            (d.account_id = e.account_id and d.amount_micro = e.amount_micro)
            or (c.rail = 'x402' and c.settled_at is not null and e.account_id = 'wallet:' || c.payer
                and e.amount_micro = c.price_micro),
            false)
        ) then
          raise exception 'a refund that is not the reversal of its debit' using errcode = 'LP003';
        end if;
        if exists (
          select from added e left join charge c on c.id = e.charge_id
          where e.kind = 'debit' and (c.account_id is distinct from e.account_id or c.price_micro < e.amount_micro)
        ) then
          raise exception 'a debit without its charge' using errcode = 'LP003';
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger ledger_entry_proof after insert on ledger_entry
      referencing new table as added for each statement execute function prove_ledger_entries()`);
    await db.query(`
      create function prove_ledger_accounts() returns trigger language plpgsql as $$
      begin
        if exists (
          select from changed c
          left join ledger_entry e on e.account_id = c.id and e.seq = c.last_seq
          where c.balance_micro <> coalesce(e.balance_after_micro, 0) or (c.last_seq > 0 and e.seq is null)
        ) then
          raise exception 'a balance without its ledger entry' using errcode = 'LP003';
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger ledger_account_proof_insert after insert on ledger_account
      referencing new table as changed for each statement execute function prove_ledger_accounts()`);
    await db.query(`
      create trigger ledger_account_proof_update after update on ledger_account
      referencing new table as changed for each statement execute function prove_ledger_accounts()`);
  }

  /** The state of a charge only moves forward, and its other facts never change. */
  private async onlyForward(db: QueryRunner): Promise<void> {
    await db.query(`
      create function charge_moves_forward() returns trigger language plpgsql as $$
      begin
        if old.state <> new.state and (old.state, new.state) not in (
          ('held', 'settling'), ('held', 'charged'), ('held', 'released'),
          ('settling', 'charged'), ('settling', 'released'), ('charged', 'refunded')
        ) then
          raise exception 'a charge can not go from % to %', old.state, new.state using errcode = 'LP004';
        end if;
        if (old.id, old.rail, old.operation, old.payer, old.account_id, old.key_id, old.created_at, old.fingerprint, old.mark)
          is distinct from
           (new.id, new.rail, new.operation, new.payer, new.account_id, new.key_id, new.created_at, new.fingerprint, new.mark)
          or (new.price_micro <> old.price_micro
              and not (old.operation = 'studio' and old.state = 'held' and new.price_micro < old.price_micro))
        then
          raise exception 'what a charge is about can not change' using errcode = 'LP004';
        end if;
        return new;
      end $$`);
    await db.query(`
      create trigger charge_forward before update on charge
      for each row execute function charge_moves_forward()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table key_spend, replay, ledger_entry, charge, ledger_account');
    await db.query(
      'drop function key_stays_within_limit, charge_moves_forward, prove_ledger_accounts, prove_ledger_entries, ledger_is_append_only',
    );
  }
}
