/**
 * A text with quotes in it. Calls with the same price and terms share the text, and only their quotes differ, so the text
 * is made once.
 */
export class QuotedText {
  /** The texts between the quotes, and the places of the quotes. */
  private readonly parts: readonly (string | number)[];

  constructor(text: string, quotes: readonly string[]) {
    this.parts = quotes.reduce<readonly (string | number)[]>(
      (parts, quote, index) =>
        parts.flatMap((part) => (typeof part === 'number' ? part : aroundQuote(part, quote, index))),
      [text],
    );
  }

  with(quotes: readonly string[]): string {
    let text = '';
    for (const part of this.parts) text += typeof part === 'number' ? quotes[part]! : part;
    return text;
  }
}

const aroundQuote = (text: string, quote: string, index: number): readonly (string | number)[] =>
  text.split(quote).flatMap((part, at) => (at === 0 ? part : [index, part]));
