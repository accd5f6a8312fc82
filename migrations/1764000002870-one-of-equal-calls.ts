import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The hold of a call can hang so long that its client sends a retry to another process. The retry adds a row before it
 * holds its price. Both holds use this function while they have locked the row of their account. A call can't hold its
 * price after a newer retry has added its row. A retry can't hold its price after an equal call has its charge.
 */
export class OneOfEqualCalls1764000002870 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The function is volatile, so it sees the changes that were committed while the statement waited for the row of
    // the account.
    await db.query(`
      create function call_stays_one(
        of_caller text, of_payer text, of_key text, same bytea, arrived timestamptz, retry text
      ) returns boolean language plpgsql volatile as $$
      begin
        if exists (
          select from call_underway
          where caller = of_caller and fingerprint = same and until > arrived and id is distinct from retry
        ) then
          raise exception 'a newer retry of this call has arrived' using errcode = 'LP009';
        end if;
        if retry is not null and exists (
          select from charge c
          where c.payer = of_payer and c.fingerprint = same and c.state <> 'released'
            and c.created_at > now() - interval '10 minutes' and (of_key is null or c.key_id = of_key)
            and not exists (select from replay r where r.charge_id = c.id and r.delivered_at is not null)
        ) then
          raise exception 'the call before this retry has its charge' using errcode = 'LP010';
        end if;
        return true;
      end $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop function call_stays_one');
  }
}
