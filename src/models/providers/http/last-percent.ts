/** The number of characters at the end of a log that are read. */
const READ_CHARS = 2_000;

const isDigit = (sign: string | undefined): boolean => sign !== undefined && sign >= '0' && sign <= '9';

/** The last percentage in a log. A regular expression would take quadratic time to find the last match. */
export const lastPercentIn = (log: string): number | undefined => {
  const text = log.slice(-READ_CHARS);
  for (let at = text.lastIndexOf('%'); at > 0; at = text.lastIndexOf('%', at - 1)) {
    let from = at;
    while (at - from < 3 && isDigit(text[from - 1])) from -= 1;
    if (from < at) return Math.min(99, Number(text.slice(from, at)));
  }
  return undefined;
};
