import type { DataSource, EntityMetadata } from 'typeorm';

import { ifPresent, present } from '../src/kernel/present';

interface ActualColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly primary: boolean;
  /** As Postgres writes it, such as `'open'::text`. */
  readonly default: string | null;
}

type DeclaredColumn = EntityMetadata['columns'][number];

/** All tables but the list of migrations, which is TypeORM's own. */
const COLUMNS = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as nullable, pg_get_expr(d.adbin, d.adrelid) as default,
    exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey)) as primary
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migration'
    and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

/** Where entities and the migrated schema disagree, a sentence each. None is the only good answer. */
export const schemaDifferences = async (source: DataSource): Promise<string[]> => {
  const actual = await source.query<ActualColumn[]>(COLUMNS);
  const declared = new Set(source.entityMetadatas.map(({ tableName }) => tableName));
  const undeclared = new Set(actual.map(({ table }) => table).filter((table) => !declared.has(table)));
  return [
    ...[...undeclared].map((table) => `The table ${table} has no entity.`),
    ...source.entityMetadatas.flatMap((entity) => {
      const columns = actual.filter(({ table }) => table === entity.tableName);
      return columns.length === 0
        ? [`${entity.name} is the table ${entity.tableName}, which no migration makes.`]
        : differencesOf(source, entity, columns);
    }),
  ];
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
      const [said, is] = [factsSaid(source, column), factsOf(actual)];
      return said === is ? [] : [`${where} is declared as ${said}, and the schema has ${is}.`];
    }),
  ];
};

const factsSaid = (source: DataSource, column: DeclaredColumn): string => {
  const { default: said, isNullable, isPrimary } = column;
  const type = source.driver.normalizeType(column) + (column.isArray ? '[]' : '');
  return facts(type, isNullable, isPrimary, ifPresent(present(said), defaultSaid));
};

const defaultSaid = (said: NonNullable<DeclaredColumn['default']>): string => {
  if (typeof said === 'function') return said();
  return typeof said === 'string' ? `'${said}'` : JSON.stringify(said);
};

const factsOf = ({ type, nullable, primary, default: value }: ActualColumn): string =>
  facts(type, nullable, primary, value?.replace(/::[a-z ]+(\[\])?$/, ''));

const facts = (type: string, isNullable: boolean, isPrimary: boolean, value: string | undefined): string =>
  [
    type,
    isNullable ? 'nullable' : 'not null',
    ...(isPrimary ? ['primary'] : []),
    ...(value === undefined ? [] : [`default ${value}`]),
  ].join(' ');
