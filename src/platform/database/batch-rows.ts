/** Statements about many items at once: what goes in, and which item each row that comes out is about. */

/** The values of many items as `unnest` wants them: column by column. */
export const byColumn = (items: readonly (readonly unknown[])[]): unknown[][] =>
  (items[0] ?? []).map((_, column) => items.map((values) => values[column] ?? null));

/** What `with ordinality` counts, from 1. The driver answers it as text. */
export interface OrdinalRow {
  readonly place: string;
}

/** Which item a row is about. */
export const indexOfRow = ({ place }: OrdinalRow): number => Number(place) - 1;

/** What the rows say, item by item; undefined for those that no row is about. */
export const byOrdinal = <Row extends OrdinalRow, Made>(
  rows: readonly Row[],
  count: number,
  make: (row: Row) => Made,
): (Made | undefined)[] => {
  const made = Array.from<Made | undefined>({ length: count });
  for (const row of rows) made[indexOfRow(row)] = make(row);
  return made;
};
