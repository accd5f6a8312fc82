import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The cost of a call that is charged by usage, by the provider's count and at its rates. No debit may be lower than this.
 */
export class VendorBills1764000001130 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table charge
        add column billed_micro bigint,
        add constraint charge_billed check (billed_micro >= 0) not valid`);
    await db.query('alter table charge validate constraint charge_billed');
    // There should be no such charge, so this index is empty and the search costs nothing.
    await db.query('create index charge_underpaid on charge (created_at) where billed_micro > price_micro');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table charge drop column billed_micro');
  }
}
