import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last good list of each vendor's models, with the prices at which they are sold. */
export class VendorLists1764000005370 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table vendor_list (
        vendor text not null,
        models jsonb not null,
        read_at timestamptz not null default now(),
        constraint "PK_vendor_list" primary key (vendor),
        constraint vendor_list_models check (jsonb_typeof(models) = 'array')
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table vendor_list');
  }
}
