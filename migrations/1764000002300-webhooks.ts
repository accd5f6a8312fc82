import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhook endpoints and their deliveries. An owner has at most ten endpoints, even with concurrent calls. The due
 * deliveries are rows, so no delivery is lost if a queue or a process is.
 */
export class Webhooks1764000002300 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table webhook_endpoint (
        id text not null constraint "PK_webhook_endpoint" primary key,
        owner text not null,
        place smallint not null,
        url text not null,
        host text not null,
        types jsonb,
        enabled boolean not null default true,
        disabled_reason text,
        enabled_at timestamptz not null default now(),
        failing_since timestamptz,
        rest_until timestamptz,
        created_at timestamptz not null default now(),
        mark text,
        made_by bytea,
        constraint webhook_endpoint_place unique (owner, place),
        constraint webhook_endpoint_places check (place between 1 and 10),
        constraint webhook_endpoint_once unique (owner, mark),
        constraint webhook_endpoint_url check (char_length(url) <= 2048),
        constraint webhook_endpoint_reason check (enabled = (disabled_reason is null))
      )`);
    await db.query('create index webhook_endpoint_by_host on webhook_endpoint (host)');
    await db.query(`
      create table webhook_secret (
        id text not null constraint "PK_webhook_secret" primary key,
        endpoint_id text not null references webhook_endpoint (id) on delete cascade,
        sealed bytea not null,
        created_at timestamptz not null default clock_timestamp(),
        signs_until timestamptz,
        mark text,
        made_by bytea,
        constraint webhook_secret_once unique (endpoint_id, mark)
      )`);
    await this.deliveries(db);
    await db.query(`
      create table webhook_cursor (
        id smallint not null default 1 constraint "PK_webhook_cursor" primary key,
        position bigint not null,
        written bigint not null,
        event_id text not null,
        moved_at timestamptz not null default now(),
        constraint webhook_cursor_one check (id = 1)
      )`);
    await db.query(`
      insert into webhook_cursor (position, written, event_id)
      select max(position), 9223372036854775807, '' from event_watermark`);
    await db.query('alter table job add column webhook_url text');
  }

  private async deliveries(db: QueryRunner): Promise<void> {
    await db.query(`
      create table webhook_delivery (
        target text not null,
        event_id text not null,
        type text not null,
        owner text not null,
        host text not null,
        url text,
        state text not null default 'pending',
        tries integer not null default 0,
        last_status smallint,
        last_error text,
        position bigint not null,
        written bigint not null,
        created_at timestamptz not null default now(),
        due_at timestamptz not null,
        first_tried_at timestamptz,
        last_tried_at timestamptz,
        taken_until timestamptz,
        taken_by text,
        constraint "PK_webhook_delivery" primary key (target, event_id),
        constraint webhook_delivery_state check (state in ('pending', 'delivered', 'failed')),
        constraint webhook_delivery_url check ((target = 'call') = (url is not null))
      ) with (fillfactor = 80)`);
    await db.query(`
      create index webhook_delivery_due on webhook_delivery (target, due_at, position, written, event_id)
      where state = 'pending' and target <> 'call'`);
    await db.query(`
      create index webhook_delivery_due_calls on webhook_delivery (host, owner, due_at)
      where state = 'pending' and target = 'call'`);
    await db.query(
      `create index webhook_delivery_due_hosts on webhook_delivery (host, due_at) where state = 'pending'`,
    );
    await db.query(
      'create index webhook_delivery_taken on webhook_delivery (host) where taken_until is not null',
    );
    await db.query(
      'create index webhook_delivery_by_time on webhook_delivery (target, created_at, event_id)',
    );
    await db.query('create index webhook_delivery_by_age on webhook_delivery (created_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table job drop column webhook_url');
    await db.query('drop table webhook_cursor, webhook_delivery, webhook_secret, webhook_endpoint');
  }
}
