import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A search finds similar pictures by the four parts of their hashes. If at most seven of 64 bits differ, one part
 * differs in at most one bit. So a search reads 68 values from an index, and compares only the found pictures.
 */
export class PerceptualHashes1764000002960 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table provenance add column perceptual_hash bigint');
    await db.query(`
      create function perceptual_bands(hash bigint) returns integer[] language sql immutable strict parallel safe as $$
        select array[(hash & 65535)::integer, 65536 + ((hash >> 16) & 65535)::integer,
          131072 + ((hash >> 32) & 65535)::integer, 196608 + ((hash >> 48) & 65535)::integer]
      $$`);
    await db.query(
      'create index provenance_near on provenance using gin (perceptual_bands(perceptual_hash)) where perceptual_hash is not null',
    );
    await db.query('create index provenance_by_bytes on provenance (sha256)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index provenance_by_bytes');
    await db.query('drop index provenance_near');
    await db.query('drop function perceptual_bands');
    await db.query('alter table provenance drop column perceptual_hash');
  }
}
