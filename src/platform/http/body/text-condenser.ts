import { JsonStrings } from './json-strings';

const QUOTE = Buffer.from('"');
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** Between values, every byte up to this one is whitespace. */
const SPACE = 0x20;

/** Strings up to this many bytes stay unchanged: names, idempotency keys, quotes. */
const KEPT_BYTES_MAX = 1_024;
/** More characters than any field accepts, so a longer text is still too long. */
const CHARS_MAX = 50_000;
const FILLER = 'x';

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Drops whitespace between values. */
const squeeze = (part: Buffer, out: Buffer[]): void => {
  let from = 0;
  for (let at = 0; at < part.length; at += 1) {
    if ((part[at] ?? 0) > SPACE) continue;
    if (at > from) out.push(part.subarray(from, at));
    from = at + 1;
  }
  if (from < part.length) out.push(part.subarray(from));
};

/**
 * Replaces each long text of a JSON body by the same number of plain letters, and drops whitespace, while the body
 * arrives. The result has the same shape, fulfils the same rules and has the same price, but is much smaller. It is
 * enough for a quote to an unproven caller.
 */
export class TextCondenser {
  private readonly strings = new JsonStrings();
  private text: Buffer[] = [];
  private bytes = 0;
  private chars = 0;
  /**
   * The position in an escape: after its backslash (`begun`), or the number of digits that are still missing after `u`.
   */
  private escape: 'none' | 'begun' | 1 | 2 | 3 | 4 = 'none';
  private unit = 0;
  private highBefore = false;

  /** The replacement of this slice. It may be empty inside of a long text. */
  feed(slice: Buffer): Buffer {
    const out: Buffer[] = [];
    for (let at = 0; at < slice.length;) {
      const { isInside } = this.strings;
      const edge = this.strings.edge(slice, at);
      const part = slice.subarray(at, edge === -1 ? slice.length : edge);
      if (isInside) this.read(part);
      else squeeze(part, out);
      if (edge !== -1 && isInside) out.push(this.end());
      else if (edge !== -1) this.begin();
      if (edge !== -1) out.push(QUOTE);
      at += part.length + 1;
    }
    return Buffer.concat(out);
  }

  private begin(): void {
    this.text = [];
    this.escape = 'none';
    this.bytes = 0;
    this.chars = 0;
    this.highBefore = false;
  }

  private end(): Buffer {
    return this.bytes <= KEPT_BYTES_MAX
      ? Buffer.concat(this.text)
      : Buffer.from(FILLER.repeat(Math.min(this.chars, CHARS_MAX)));
  }

  private read(part: Buffer): void {
    for (const byte of part) this.count(byte);
    this.bytes += part.length;
    if (this.bytes <= KEPT_BYTES_MAX) this.text.push(part);
    else this.text = [];
  }

  /** Characters are code points: two escaped surrogates count as one, and so do all UTF-8 bytes of one character. */
  private count(byte: number): void {
    if (this.escape === 'none') {
      if (byte === BACKSLASH) this.escape = 'begun';
      else if ((byte & 0xc0) !== 0x80) this.add(false);
    } else if (this.escape === 'begun') {
      this.unit = 0;
      this.escape = byte === LETTER_U ? 4 : 'none';
      if (byte !== LETTER_U) this.add(false);
    } else {
      this.unit = this.unit * 16 + (Number.parseInt(String.fromCharCode(byte), 16) || 0);
      this.escape = this.escape === 1 ? 'none' : ((this.escape - 1) as 1 | 2 | 3);
      if (this.escape !== 'none') return;
      if (this.highBefore && isLowSurrogate(this.unit)) this.highBefore = false;
      else this.add(isHighSurrogate(this.unit));
    }
  }

  private add(isHigh: boolean): void {
    this.chars += 1;
    this.highBefore = isHigh;
  }
}
