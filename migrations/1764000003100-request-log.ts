import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The request log reads charges, so a charge names the signed-in person and counts the tokens. A call has a note if it
 * has no charge, or further facts. Notes are a limited sample, and the counts are complete. The indexes are for the
 * filters of the log: by key, by tag, and failed calls. They do not contain charges without a key or a tag, or
 * successful charges.
 */
export class RequestLog1764000003100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table charge
        add column person_id text,
        add column input_tokens integer,
        add column output_tokens integer`);
    await db.query('create index charge_by_key on charge (key_id, created_at) where key_id is not null');
    await db.query('create index charge_by_tag on charge (payer, tag, created_at) where tag is not null');
    await db.query(
      `create index charge_without_result on charge (payer, created_at) where state in ('released', 'refunded')`,
    );
    await db.query(`
      create table call_note (
        id text not null constraint "PK_call_note" primary key,
        owner text not null,
        key_id text,
        person_id text,
        charge_id text,
        route text not null,
        operation text,
        model_id text,
        tag text,
        status smallint not null,
        code text,
        ms integer not null,
        attempts jsonb not null default '[]',
        created_at timestamptz not null default now()
      )`);
    await db.query(
      'create index call_note_by_owner on call_note (owner, created_at) where charge_id is null',
    );
    await db.query('create index call_note_by_charge on call_note (charge_id) where charge_id is not null');
    await db.query(`
      create table refusal_count (
        owner text not null,
        hour timestamptz not null,
        code text not null,
        calls bigint not null,
        constraint "PK_refusal_count" primary key (owner, hour, code),
        constraint refusal_count_positive check (calls > 0)
      )`);
    await db.query('create index refusal_count_by_hour on refusal_count (hour)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table refusal_count, call_note');
    await db.query('drop index charge_without_result, charge_by_tag, charge_by_key');
    await db.query(
      'alter table charge drop column output_tokens, drop column input_tokens, drop column person_id',
    );
  }
}
