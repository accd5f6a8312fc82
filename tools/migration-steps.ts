import type { DataSource } from 'typeorm';

import { comparedSchema } from './schema-differences';

type SqlInMemory = Awaited<ReturnType<ReturnType<DataSource['driver']['createSchemaBuilder']>['log']>>;
type Query = SqlInMemory['upQueries'][number];

export interface MigrationSteps {
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** Names that TypeORM derives from a decorator. Constraints and indexes with other names are written by hand. */
const OF_A_DECORATOR = /^(PK|UQ|FK|IDX|CHK|XCL|REL|DF)_[0-9a-f]{20,}$/;

const dropped = (sql: string): string | undefined =>
  /\bDROP (?:CONSTRAINT|INDEX) (?:"public"\.)?"([^"]+)"/.exec(sql)?.[1];

const added = (sql: string): string | undefined =>
  /\bADD CONSTRAINT "([^"]+)"|\bCREATE (?:UNIQUE )?INDEX "([^"]+)"/.exec(sql)?.slice(1).find(Boolean);

/**
 * Whether a statement is about a table. An index names its table after `ON`, and the name of a type begins with its
 * table.
 */
const isAbout = (table: string, { up, down }: { up: readonly string[]; down: readonly string[] }) => {
  const indexes = new Set(
    [...up, ...down].filter((sql) => sql.includes(` ON "${table}"`)).flatMap((sql) => added(sql) ?? []),
  );
  return (sql: string): boolean =>
    new RegExp(`\\b(TABLE|ON) "${table}"|\\bTYPE "${table}_`).test(sql) ||
    indexes.has(/^DROP INDEX "([^"]+)"/.exec(sql)?.[1] ?? '');
};

/**
 * Writes a statement in our form: without the schema, because the search path names it, and with the words that our
 * checks of migrations expect.
 */
const written = ({ query, parameters = [] }: Query): string => {
  if (parameters.length > 0) throw new Error(`Write this by hand, it has parameters: ${query}`);
  return query.replaceAll('"public".', '').replace(/^(ALTER TABLE "[^"]+" ADD) "/, '$1 COLUMN "');
};

/**
 * The statements that make the schema equal to the entities, by TypeORM’s own comparison. TypeORM does not know
 * constraints, indexes and triggers that were written by hand, and would drop them. This removes such statements, and
 * statements about tables whose columns already agree.
 */
export const stepsToEntities = async (source: DataSource): Promise<MigrationSteps> => {
  const { entities } = await comparedSchema(source);
  if (entities.size === 0) return { up: [], down: [] };
  const logged = await source.driver.createSchemaBuilder().log();
  const all = { up: logged.upQueries.map(written), down: logged.downQueries.map(written).toReversed() };
  const byHand = new Set(
    all.up.flatMap((sql) => dropped(sql) ?? []).filter((name) => !OF_A_DECORATOR.test(name)),
  );
  const about = [...entities.keys()].map((table) => isAbout(table, all));
  const kept = (sql: string): boolean =>
    about.some((isOne) => isOne(sql)) && !byHand.has(dropped(sql) ?? '') && !byHand.has(added(sql) ?? '');
  return { up: all.up.filter(kept), down: all.down.filter(kept) };
};

const inTemplate = (sql: string): string => sql.replaceAll(/[\\`]|\$\{/g, String.raw`\$&`);

const body = (statements: readonly string[]): string =>
  statements.length === 0
    ? '    await db.query(``);'
    : statements.map((sql) => `    await db.query(\`${inTemplate(sql)}\`);`).join('\n');

/**
 * The text of a migration's file. TypeORM runs migrations in the order of the thirteen digits at the end of their class
 * names.
 */
export const migrationText = (topic: string, timestamp: number, { up, down }: MigrationSteps): string => {
  const name = topic.replace(/(^|-)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
  const about =
    up.length === 0
      ? 'Say what these tables are for, and which rule they keep that no code path can get past.'
      : 'Review each statement, add the rules that no code path can get past, and say here what the tables are for.';
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';

/** ${about} */
export class ${name}${timestamp} implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
${body(up)}
  }

  async down(db: QueryRunner): Promise<void> {
${body(down)}
  }
}
`;
};
