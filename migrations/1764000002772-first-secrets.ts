import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The hash of the first secret of a key, kept for ever. With it, a call that is repeated after a rotation does not make
 * the key a second time.
 */
export class FirstSecrets1764000002772 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key add column first_hash bytea');
    await db.query('update api_key set first_hash = hash where rotated_at is null');
    // For a key that already has another secret, the previous one is the oldest known secret. It is skipped if another
    // key has it.
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
