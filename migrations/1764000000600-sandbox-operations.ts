import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The data that a real provider would keep on its own machines. */
export class SandboxOperations1764000000600 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table sandbox_operation (
        id text not null constraint "PK_sandbox_operation" primary key,
        reference text not null constraint sandbox_operation_reference unique,
        request jsonb not null,
        cancelled boolean not null default false,
        created_at timestamptz not null default now()
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table sandbox_operation');
  }
}
