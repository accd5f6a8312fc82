import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rows that a proof compares with the changed rows `of`: as lookups of single rows, or as joins. */
type Rows = (of: string, columns: string, table: string, condition: string) => string;

const lookedUp: Rows = (of, columns, table, condition) =>
  `left join lateral (select ${columns} from ${table} where ${condition} limit 1) ${of} on true`;
const joined: Rows = (of, _columns, table, condition) =>
  `left join ${table} ${of} on ${condition.replaceAll(`${table}.`, `${of}.`)}`;

/** The texts are those of the earlier migrations but for the rows, so that `down` restores the same functions. */
const proofs = (rows: Rows): string => `
      create or replace function prove_ledger_entries() returns trigger language plpgsql set enable_seqscan = off as $$
      declare
        wrong text := (
          select min(case
            when e.balance_after_micro is distinct from coalesce(p.balance_after_micro, case when e.seq = 1 then 0 end)
              + case when e.kind = 'debit' then -e.amount_micro else e.amount_micro end
              then 'a ledger entry does not continue its chain'
            when a.id is null or a.last_seq < e.seq then 'ledger entries without their balance'
            when e.kind = 'refund' and not coalesce(
              (d.account_id = e.account_id and d.amount_micro = e.amount_micro)
              or ((c.rail = 'x402' or (c.rail = 'channel' and exists (
                select from channel_voucher v join channel h on h.id = v.channel_id
                where v.charge_id = c.id and h.claimed_micro >= v.total_micro))) and c.settled_at is not null and e.account_id = 'wallet:' || c.payer
                  and e.amount_micro = c.price_micro),
              false)
              then 'a refund that is not the reversal of its debit'
            when e.kind = 'debit' and e.source is null and (c.account_id is distinct from e.account_id or c.price_micro < e.amount_micro)
              then 'a debit without its charge'
          end)
          from added e
          ${rows('p', 'balance_after_micro', 'ledger_entry', 'ledger_entry.account_id = e.account_id and ledger_entry.seq = e.seq - 1')}
          ${rows('a', 'id, last_seq', 'ledger_account', 'ledger_account.id = e.account_id')}
          ${rows('c', 'id, rail, settled_at, payer, price_micro, account_id', 'charge', 'charge.id = e.charge_id')}
          ${rows('d', 'account_id, amount_micro', 'ledger_entry', "e.kind = 'refund' and ledger_entry.charge_id = e.charge_id and ledger_entry.kind = 'debit'")});
      begin
        if wrong is not null then
          raise exception '%', wrong using errcode = 'LP003';
        end if;
        return null;
      end $$;
      create or replace function prove_ledger_accounts() returns trigger language plpgsql set enable_seqscan = off as $$
      begin
        if exists (
          select from changed c
          ${rows('e', 'seq, balance_after_micro', 'ledger_entry', 'ledger_entry.account_id = c.id and ledger_entry.seq = c.last_seq')}
          where c.balance_micro <> coalesce(e.balance_after_micro, 0) or (c.last_seq > 0 and e.seq is null)
        ) then
          raise exception 'a balance without its ledger entry' using errcode = 'LP003';
        end if;
        return null;
      end $$`;

/**
 * The plan of a trigger's query stays until Postgres analyses the table. A join that was planned while the ledger was
 * small reads all debits for each call, by an index too. A lookup with a limit can't become a join, so it reads one row.
 */
export class ProofsLookUpRows1764000005720 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(proofs(lookedUp));
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(proofs(joined));
  }
}
