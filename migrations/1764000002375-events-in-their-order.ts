import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What one transaction wrote is read in the order of its ids, page by page, however much it is. */
export class EventsInTheirOrder1764000002375 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('drop index event_by_owner');
    await db.query('create index event_by_owner on event (owner, written, id collate "C")');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index event_by_owner');
    await db.query('create index event_by_owner on event (owner, written)');
  }
}
