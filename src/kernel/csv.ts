/** Text that a spreadsheet would execute as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const cellOf = (cell: string | number): string | number => {
  if (typeof cell === 'number') return cell;
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One line of a CSV file. Its texts may come from anybody. */
export const csvLine = (cells: readonly (string | number)[]): string => `${cells.map(cellOf).join(',')}\r\n`;
