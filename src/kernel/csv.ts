/**
 * The signs with which a spreadsheet begins a formula, also full-width ones. Before them are only spaces, and the start
 * of the cell or a character at which readers with other settings begin a cell.
 */
const SIGNS =
  /(?<=(?:^|[,;|\t\r\n\v\f\u0085\u2028\u2029"'])[\s\u200B-\u200D\u2060\uFEFF]*)[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\u2212]/gu;

/** The text with an apostrophe before each such sign. A tab or a line break at the start gets one as well. */
const harmless = (text: string): string => text.replaceAll(SIGNS, "'$&").replace(/^[\t\r]/, "'$&");

const cellOf = (cell: string | number): string | number => {
  if (typeof cell === 'number') return cell;
  const text = harmless(cell);
  return /[",;|\t\r\n\v\f\u0085\u2028\u2029]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One line of a CSV file. Strangers may have written its texts, so no spreadsheet may execute them. */
export const csvLine = (cells: readonly (string | number)[]): string => `${cells.map(cellOf).join(',')}\r\n`;
