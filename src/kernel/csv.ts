/** Text that a spreadsheet would execute as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const cellOf = (cell: string | number): string | number => {
  if (typeof cell === 'number') return cell;
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One line of a CSV file. Strangers may have written its texts, so no spreadsheet may execute them. */
export const csvLine = (cells: readonly (string | number)[]): string => `${cells.map(cellOf).join(',')}\r\n`;
