const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Finds the beginnings and ends of strings in JSON text that arrives in slices. It reads each byte once and stores
 * none.
 */
export class JsonStrings {
  private inside = false;
  /** Whether the previous slice ended with a backslash. */
  private escaped = false;

  /** Whether the text after the last edge is inside of a string. */
  get isInside(): boolean {
    return this.inside;
  }

  /**
   * The index of the quote at which the present string ends or the next one begins; -1 if the slice has no such quote.
   */
  edge(slice: Buffer, start = 0): number {
    const at = this.inside ? this.closingQuote(slice, start) : slice.indexOf(QUOTE, start);
    if (at !== -1) this.inside = !this.inside;
    return at;
  }

  private closingQuote(slice: Buffer, start: number): number {
    let from = this.escaped ? start + 1 : start;
    this.escaped = false;
    for (let quote = slice.indexOf(QUOTE, from); ; quote = slice.indexOf(QUOTE, from)) {
      const end = quote === -1 ? slice.length : quote;
      let before = end - 1;
      while (before >= from && slice[before] === BACKSLASH) before -= 1;
      const isEscaped = (end - 1 - before) % 2 === 1;
      if (quote === -1) {
        this.escaped = isEscaped;
        return -1;
      }
      if (!isEscaped) return quote;
      from = quote + 1;
    }
  }
}
