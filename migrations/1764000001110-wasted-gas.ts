import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Settlements that failed on the network at our expense. A payer with three of them within a day can't open another
 * call on that day.
 */
export class WastedGas1764000001110 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table x402_payer
        add column wasted integer not null default 0,
        add column wasted_at timestamptz,
        add constraint x402_payer_wasted check (wasted >= 0 and (wasted = 0) = (wasted_at is null))`);
    await db.query(`
      create function x402_payer_is_wasteful() returns trigger language plpgsql as $$
      begin
        raise exception 'payments of % failed at our expense too often', new.payer using errcode = 'LP007';
      end $$`);
    await db.query(`
      create trigger x402_payer_wasteful before update on x402_payer
      for each row when (
        new.open_count > old.open_count and old.wasted >= 3 and old.wasted_at > now() - interval '1 day')
      execute function x402_payer_is_wasteful()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger x402_payer_wasteful on x402_payer');
    await db.query('drop function x402_payer_is_wasteful');
    await db.query('alter table x402_payer drop column wasted, drop column wasted_at');
  }
}
