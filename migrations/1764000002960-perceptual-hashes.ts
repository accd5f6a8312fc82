import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Near pictures are found by the four parts of their hashes: with at most seven changed bits of 64 one part has at most one.
 * So a search asks an index for 68 values, and compares only what it finds.
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
