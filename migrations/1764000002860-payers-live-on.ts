import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A statement that holds money reads the state of its payers when it begins, and may then wait for the row of their
 * account. After the wait it checks again with a volatile function, which sees the changes that were committed
 * meanwhile.
 */
export class PayersLiveOn1764000002860 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function payers_live_on(proofs text[]) returns boolean language plpgsql volatile as $$
      begin
        -- A statement that had nothing to wait for has just read it.
        if clock_timestamp() < statement_timestamp() + interval '2 milliseconds' then
          return true;
        end if;
        if exists (select from unnest(proofs) as proof where proof is not null and not payer_lives(proof)) then
          raise exception 'a payer has ended while its call waited' using errcode = 'LP002';
        end if;
        return true;
      end $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop function payers_live_on');
  }
}
