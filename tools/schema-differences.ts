import type { DataSource, EntityMetadata } from 'typeorm';

import { present } from '#kernel/present';

interface ActualColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly primary: boolean;
  readonly isIdentity: boolean;
  /** The default in the form of Postgres, such as `'open'::text`. */
  readonly default: string | null;
}

type DeclaredColumn = EntityMetadata['columns'][number];

/** All tables except TypeORM's own list of migrations. */
const COLUMNS = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as nullable, pg_get_expr(d.adbin, d.adrelid) as default,
    a.attidentity <> '' as "isIdentity",
    exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey)) as primary
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migration'
    and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

/** The differences between the entities and the migrated schema, one sentence each. There must be none. */
export const schemaDifferences = async (source: DataSource): Promise<string[]> => {
  const { undeclared, entities } = await comparedSchema(source);
  return [
    ...undeclared.map((table) => `The table ${table} has no entity.`),
    ...[...entities.values()].flat(),
  ];
};

interface ComparedSchema {
  /** Tables without an entity. */
  readonly undeclared: readonly string[];
  /** The differences of tables with an entity. */
  readonly entities: ReadonlyMap<string, readonly string[]>;
}

export const comparedSchema = async (source: DataSource): Promise<ComparedSchema> => {
  const actual = await source.query<ActualColumn[]>(COLUMNS);
  const declared = new Set(source.entityMetadatas.map(({ tableName }) => tableName));
  const tables = new Set(actual.map(({ table }) => table));
  const found = source.entityMetadatas.map((entity): [string, string[]] => [
    entity.tableName,
    tables.has(entity.tableName)
      ? differencesOf(
          source,
          entity,
          actual.filter(({ table }) => table === entity.tableName),
        )
      : [`${entity.name} is the table ${entity.tableName}, which no migration makes.`],
  ]);
  return {
    undeclared: [...tables].filter((table) => !declared.has(table)),
    entities: new Map(found.filter(([, differences]) => differences.length > 0)),
  };
};

const differencesOf = (
  source: DataSource,
  entity: EntityMetadata,
  columns: readonly ActualColumn[],
): string[] => {
  const stored = entity.columns.filter(({ isVirtualProperty }) => !isVirtualProperty);
  const undeclared = columns.filter(({ column }) =>
    stored.every(({ databaseName }) => databaseName !== column),
  );
  return [
    ...undeclared.map(({ column }) => `${entity.name} says nothing of its column ${column}.`),
    ...stored.flatMap((column) => {
      const where = `${entity.name}.${column.propertyName}`;
      const actual = columns.find((one) => one.column === column.databaseName);
      if (actual === undefined)
        return [`${where} is the column ${column.databaseName}, which no migration makes.`];
      const [said, is] = [factsSaid(source, column, actual), factsOf(actual)];
      return said === is ? [] : [`${where} is declared as ${said}, and the schema has ${is}.`];
    }),
  ];
};

/**
 * The facts about a column that the entity declares. Postgres itself numbers an identity column, so the declared
 * default does not count.
 */
const factsSaid = (source: DataSource, column: DeclaredColumn, { isIdentity }: ActualColumn): string =>
  facts(
    typeSaid(source, column),
    column.isNullable,
    column.isPrimary,
    isIdentity ? undefined : defaultSaid(column),
  );

/**
 * The declared type with its length or precision, in the form of Postgres. TypeORM names the type of an enum after its
 * table and column.
 */
const typeSaid = ({ driver }: DataSource, column: DeclaredColumn): string => {
  const { length, precision, scale, isArray, enum: choices, enumName, entityMetadata, databaseName } = column;
  const array = isArray ? '[]' : '';
  if (choices !== undefined) return (enumName ?? `${entityMetadata.tableName}_${databaseName}_enum`) + array;
  const type = driver.normalizeType(column);
  const size = length || [precision, scale].filter((part) => typeof part === 'number').join(',');
  // Postgres writes the precision of a time before its zone.
  return (size ? type.replace(/^[a-z]+( varying)?/, `$&(${size})`) : type) + array;
};

/** Marks a column whose default comes from a sequence. */
const NUMBERED = 'numbered';

const defaultSaid = ({
  default: said,
  isGenerated,
  generationStrategy,
}: DeclaredColumn): string | undefined => {
  if (isGenerated) return generationStrategy === 'uuid' ? 'gen_random_uuid()' : NUMBERED;
  const value = present(said);
  if (value === undefined) return undefined;
  if (typeof value === 'function') return value();
  if (typeof value === 'string') return unquoted(`'${value}'`);
  return typeof value === 'object' ? `'${JSON.stringify(value)}'` : JSON.stringify(value);
};

/** Removes the quotes, because Postgres writes -1 as '-1'. */
const unquoted = (value: string): string => value.replace(/^'(-?[\d.]+)'$/, '$1');

const factsOf = ({ type, nullable, primary, default: value }: ActualColumn): string => {
  if (value?.startsWith('nextval(') === true) return facts(type, nullable, primary, NUMBERED);
  const written = value === null ? undefined : unquoted(value.replace(/::[a-z_0-9" ]+(\[\])?$/, ''));
  return facts(type, nullable, primary, written);
};

const facts = (type: string, isNullable: boolean, isPrimary: boolean, value: string | undefined): string =>
  [
    type,
    isNullable ? 'nullable' : 'not null',
    ...(isPrimary ? ['primary'] : []),
    ...(value === undefined ? [] : [`default ${value}`]),
  ].join(' ');
