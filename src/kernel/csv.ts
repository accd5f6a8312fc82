/** Text that a spreadsheet would run instead of showing. */
const FORMULA = /^[=+\-@\t\r]/;

const cellOf = (cell: string | number): string | number => {
  if (typeof cell === 'number') return cell;
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One line of a file for spreadsheets, whose texts may be anybody's. */
export const csvLine = (cells: readonly (string | number)[]): string => `${cells.map(cellOf).join(',')}\r\n`;
