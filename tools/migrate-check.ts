import 'reflect-metadata';

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DataSource, EntityMetadata } from 'typeorm';

import { createDataSource } from '../src/platform/database/data-source';
import { startEmbeddedPostgres } from '../src/platform/database/embedded-postgres';
import { migrate } from '../src/platform/database/migrations';

interface ActualColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
}

const COLUMNS = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type, not a.attnotnull as nullable
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = current_schema() and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`;

/**
 * Where entities and the migrated schema disagree. A table without an entity is used by SQL alone, which is fine; a
 * table with one must be described whole, or what is saved through the entity loses a column in silence.
 */
const differences = async (source: DataSource): Promise<string[]> => {
  const actual = await source.query<ActualColumn[]>(COLUMNS);
  return source.entityMetadatas.flatMap((entity) => {
    const columns = actual.filter(({ table }) => table === entity.tableName);
    return columns.length === 0
      ? [`${entity.name} describes the table ${entity.tableName}, which no migration makes.`]
      : [...missingOrDifferent(source, entity, columns), ...undescribed(entity, columns)];
  });
};

const missingOrDifferent = (
  source: DataSource,
  entity: EntityMetadata,
  columns: readonly ActualColumn[],
): string[] =>
  entity.columns.flatMap((described) => {
    const where = `${entity.name}.${described.propertyName}`;
    const actual = columns.find(({ column }) => column === described.databaseName);
    if (actual === undefined) {
      return [
        `${where} is the column ${entity.tableName}.${described.databaseName}, which no migration makes.`,
      ];
    }
    const type = source.driver.normalizeType(described) + (described.isArray ? '[]' : '');
    return [
      ...(type === actual.type
        ? []
        : [`${where} is ${type} in the entity and ${actual.type} in the schema.`]),
      ...(described.isNullable === actual.nullable
        ? []
        : [
            `${where} ${described.isNullable ? 'may' : "can't"} be null in the entity, unlike in the schema.`,
          ]),
    ];
  });

const undescribed = (entity: EntityMetadata, columns: readonly ActualColumn[]): string[] =>
  columns
    .filter(({ column }) => entity.columns.every(({ databaseName }) => databaseName !== column))
    .map(({ table, column }) => `${entity.name} says nothing of the column ${table}.${column}.`);

/** Migrates a throw-away database and compares it, so that the check needs nothing but the repository. */
const main = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-drift-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } });
  try {
    const applied = await migrate(server.url, { queues: false });
    const source = await createDataSource(server.url).initialize();
    const found = await differences(source);
    await source.destroy();
    found.forEach((difference) => console.error(difference));
    const count = `${source.entityMetadatas.length} entities and ${applied.length} migrations`;
    console.log(found.length === 0 ? `${count} agree.` : `${count} disagree in ${found.length} places.`);
    process.exitCode = found.length === 0 ? 0 : 1;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
