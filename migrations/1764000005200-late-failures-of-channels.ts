import type { MigrationInterface, QueryRunner } from 'typeorm';

const proof = (credited: string): string => `
      create or replace function prove_ledger_entries() returns trigger language plpgsql as $$
      declare
        wrong text := (
          select min(case
            when e.balance_after_micro is distinct from coalesce(p.balance_after_micro, case when e.seq = 1 then 0 end)
              + case when e.kind = 'debit' then -e.amount_micro else e.amount_micro end
              then 'a ledger entry does not continue its chain'
            when a.id is null or a.last_seq < e.seq then 'ledger entries without their balance'
            when e.kind = 'refund' and not coalesce(
              (d.account_id = e.account_id and d.amount_micro = e.amount_micro)
              or (${credited} and c.settled_at is not null and e.account_id = 'wallet:' || c.payer
                  and e.amount_micro = c.price_micro),
              false)
              then 'a refund that is not the reversal of its debit'
            when e.kind = 'debit' and e.source is null and (c.account_id is distinct from e.account_id or c.price_micro < e.amount_micro)
              then 'a debit without its charge'
          end)
          from added e
          left join ledger_entry p on p.account_id = e.account_id and p.seq = e.seq - 1
          left join ledger_account a on a.id = e.account_id
          left join charge c on c.id = e.charge_id
          left join ledger_entry d on e.kind = 'refund' and d.charge_id = e.charge_id and d.kind = 'debit');
      begin
        if wrong is not null then
          raise exception '%', wrong using errcode = 'LP003';
        end if;
        return null;
      end $$`;

/**
 * The refund of a charge by channel is a credit to the payer's wallet, as on x402. It has no debit to reverse. The
 * claimed total of the channel must cover the charge: until then a contract wallet can make the claim fail.
 */
export class LateFailuresOfChannels1764000005200 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      proof(`(c.rail = 'x402' or (c.rail = 'channel' and exists (
                select from channel_voucher v join channel h on h.id = v.channel_id
                where v.charge_id = c.id and h.claimed_micro >= v.total_micro)))`),
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(proof(`c.rail = 'x402'`));
  }
}
