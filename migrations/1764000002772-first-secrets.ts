import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The secret that a key was made with, as its hash, for ever: a call that is repeated after a rotation must not make it anew. */
export class FirstSecrets1764000002772 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key add column first_hash bytea');
    await db.query('update api_key set first_hash = hash where rotated_at is null');
    // Of a key that has another secret by now, the one before is the oldest that is known. Another key may have it already.
    await db.query(`
      update api_key k set first_hash = previous_hash
      where rotated_at is not null and previous_hash is not null and not exists (
        select from api_key other
        where other.hash = k.previous_hash or (other.previous_hash = k.previous_hash and other.id < k.id))`);
    await db.query('create unique index api_key_first_hash on api_key (first_hash)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index api_key_first_hash');
    await db.query('alter table api_key drop column first_hash');
  }
}
