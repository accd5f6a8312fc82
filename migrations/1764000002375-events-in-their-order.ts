import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Readers get the events of one transaction page by page in the order of their ids, so a transaction may write any
 * number of events.
 */
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
