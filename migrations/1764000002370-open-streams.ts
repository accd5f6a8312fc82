import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many streams and waits each process holds open, by owner and by address, so that a limit holds over all of them. */
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
