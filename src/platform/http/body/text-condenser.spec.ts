import * as fc from 'fast-check';

import { TextCondenser } from './text-condenser';

const condensed = (text: string, size: number): string => {
  const condenser = new TextCondenser();
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(condenser.feed(bytes.subarray(at, at + size)));
  return Buffer.concat(parts).toString();
};

/** Writes JSON with all, some or no characters escaped, because writers differ. */
const written = (text: string, escapes: boolean): string =>
  escapes
    ? `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(text);

describe('a body that is read for its price alone', () => {
  it('keeps its shape and the length of every text, however it is written and sliced', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 3_000 }), { maxLength: 4 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 5_000 }),
        (texts, escapes, size) => {
          const body = `{"a":1,"texts":[${texts.map((text) => written(text, escapes)).join(',')}]}`;

          const parsed = JSON.parse(condensed(body, size)) as { texts: string[] };

          expect(parsed.texts.map((text) => [...text].length)).toEqual(texts.map((text) => [...text].length));
        },
      ),
    );
  });

  it('keeps short texts as they are, and no long one', () => {
    const secret = 'a secret '.repeat(2_000);
    const body = JSON.stringify({
      model: 'lumen-flash',
      'quote\\Id': 'sealed',
      messages: [{ content: secret }],
    });

    const text = condensed(body, 1_000);

    expect(JSON.parse(text)).toEqual({
      model: 'lumen-flash',
      'quote\\Id': 'sealed',
      messages: [{ content: 'x'.repeat(18_000) }],
    });
  });
});
