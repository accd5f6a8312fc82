import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The sent and received data of each try of a webhook, so that an owner can debug a receiver. The rows have no foreign
 * key, because one deleted endpoint would then make a whole batch of results fail. The tries of a deleted endpoint are
 * pruned later.
 */
export class WebhookTries1764000003300 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table webhook_try (
        id text not null,
        target text not null,
        event_id text not null,
        type text not null,
        at timestamptz not null default clock_timestamp(),
        duration_ms integer not null,
        status smallint,
        error text,
        payload text not null,
        sent jsonb not null,
        received jsonb not null,
        body text not null,
        constraint "PK_webhook_try" primary key (id),
        constraint webhook_try_bounded check (length(payload) <= 8192 and length(body) <= 2048)
      )`);
    await db.query('create index webhook_try_newest on webhook_try (target, at desc)');
    await db.query('create index webhook_try_oldest on webhook_try (at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table webhook_try');
  }
}
