import type { QueryResultRow } from 'pg';
import { type ColumnOptions, type ValueTransformer, getMetadataArgsStorage } from 'typeorm';

interface Field {
  readonly property: string;
  readonly column: string;
  readonly transformer: ValueTransformer;
}

/** A table as its entity declares it, for handwritten statements. The code computes it once, when it is loaded. */
export interface Table<Entity> {
  /**
   * The columns to select or return, so that `read` creates a whole entity. Columns with `select: false` are left out.
   */
  readonly columns: string;
  /** The entity of a row, as TypeORM would create it. Null and unselected columns are absent. */
  readonly read: (row: QueryResultRow) => Entity;
}

export const tableOf = <Entity extends object>(entity: new () => Entity): Table<Entity> => {
  const { tables, columns } = getMetadataArgsStorage();
  const name = tables.find(({ target }) => target === entity)?.name ?? '';
  const declared = columns.filter(({ target }) => target === entity);
  const fields = declared.map(({ propertyName, options }): Field => ({
    property: propertyName,
    column: options.name ?? propertyName,
    transformer: options.transformer as ValueTransformer,
  }));
  return {
    columns: declared
      .filter(({ options }) => options.select !== false)
      .map(({ propertyName, options }) => selected(name, propertyName, options))
      .join(', '),
    read: (row) => {
      const made = new entity() as Record<string, unknown>;
      for (const { property, column, transformer } of fields) {
        const value: unknown = row[column];
        if (value !== null && value !== undefined) made[property] = transformer.from(value);
      }
      return made as Entity;
    },
  };
};

const selected = (table: string, property: string, { name, query }: ColumnOptions): string =>
  query === undefined ? (name ?? property) : `${query(table)} as "${property}"`;
