import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The objects of the authorization server: apps, sign-ins under way, codes and tokens, each by the hash of its secret id. */
export class Oauth1764000005430 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table oauth_row (
        kind text not null,
        id_hash bytea not null,
        payload jsonb not null,
        grant_id text,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        consumed_at timestamptz,
        constraint "PK_oauth_row" primary key (kind, id_hash),
        constraint oauth_row_hash check (length(id_hash) = 32),
        constraint oauth_row_payload check (jsonb_typeof(payload) = 'object' and not payload ? 'jti')
      )`);
    await db.query('create index oauth_row_of_grant on oauth_row (grant_id) where grant_id is not null');
    await db.query('create index oauth_row_end on oauth_row (expires_at)');
    await db.query(`
      alter table api_key add column app jsonb,
        add constraint api_key_app check (app is null or depth = 1 and jsonb_typeof(app) = 'object') not valid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key drop column app');
    await db.query('drop table oauth_row');
  }
}
