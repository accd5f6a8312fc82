import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The number of open streams and waits of each process, by owner and by address, so that a limit applies to all
 * processes together.
 */
export class OpenStreams1764000002370 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table open_stream (
        whose text not null,
        process text not null,
        open integer not null,
        until timestamptz not null,
        constraint "PK_open_stream" primary key (whose, process),
        constraint open_stream_some check (open > 0)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table open_stream');
  }
}
