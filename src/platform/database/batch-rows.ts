/** Helpers for statements about many items: they build the input, and find the item of each result row. */

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
