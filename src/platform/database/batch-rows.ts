/** Helpers for statements about many items: they build the input, and find the item of each result row. */

type ItemColumn<Item> = readonly [type: string, valueOf: (item: Item) => unknown];

/** The columns of a statement's items. Each has one declaration: its name, its type in Postgres, and its value. */
export class ItemColumns<Item> {
  private readonly names: string;
  private readonly columns: readonly (readonly [name: string, ...ItemColumn<Item>])[];

  constructor(columns: Readonly<Record<string, ItemColumn<Item>>>) {
    this.columns = Object.entries(columns).map(([name, column]) => [name, ...column]);
    this.names = Object.keys(columns).join(', ');
  }

  /** The items as a table. `place` is the index of an item, from 1. The values begin after `$before`. */
  table(as: string, before = 0): string {
    const arrays = this.columns.map(([, type], at) => `$${before + at + 1}::${type}[]`);
    return `unnest(${arrays.join(', ')}) with ordinality as ${as} (${this.names}, place)`;
  }

  /** The values of `table`. */
  valuesOf(items: readonly Item[]): unknown[][] {
    return this.columns.map(([, , valueOf]) => items.map((item) => valueOf(item) ?? null));
  }

  /** One item as the columns of a `select`, for a statement about a single item. */
  get row(): string {
    return this.columns.map(([name]) => `${this.value(name)} as ${name}`).join(', ');
  }

  /** The value of a column in a statement about a single item. */
  value(name: string): string {
    const at = this.columns.findIndex(([each]) => each === name);
    return `$${at + 1}::${this.columns[at]![1]}`;
  }

  /** The values of `row`. */
  rowOf(item: Item): unknown[] {
    return this.columns.map(([, , valueOf]) => valueOf(item));
  }
}

/** The values of many items, column by column, as `unnest` takes them. */
export const byColumn = (items: readonly (readonly unknown[])[]): unknown[][] =>
  (items[0] ?? []).map((_, column) => items.map((values) => values[column] ?? null));

/** The index of `with ordinality`, from 1. The driver returns it as text. */
export interface OrdinalRow {
  readonly place: string;
}

/** The index of the item that a row belongs to. */
export const indexOfRow = ({ place }: OrdinalRow): number => Number(place) - 1;

/** The results in the order of the items; undefined for items without a row. */
export const byOrdinal = <Row extends OrdinalRow, Made>(
  rows: readonly Row[],
  count: number,
  make: (row: Row) => Made,
): (Made | undefined)[] => {
  const made = Array.from<Made | undefined>({ length: count });
  for (const row of rows) made[indexOfRow(row)] = make(row);
  return made;
};
