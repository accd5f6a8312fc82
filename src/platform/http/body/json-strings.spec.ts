import fc from 'fast-check';

import { JsonStrings } from './json-strings';

/** The parts of a text that are inside strings. `sizes` has the sizes of the slices in which the text arrives. */
const textsOf = (text: string, sizes: readonly number[]): readonly string[] => {
  const strings = new JsonStrings();
  const texts: Buffer[][] = [];
  let rest = Buffer.from(text);
  for (let turn = 0; rest.length > 0; turn += 1) {
    const slice = rest.subarray(0, sizes[turn % sizes.length]);
    rest = rest.subarray(slice.length);
    for (let at = 0; at < slice.length;) {
      const { isInside } = strings;
      const edge = strings.edge(slice, at);
      const end = edge === -1 ? slice.length : edge;
      if (isInside) texts.at(-1)?.push(slice.subarray(at, end));
      if (edge !== -1 && !isInside) texts.push([]);
      at = end + 1;
    }
  }
  return texts.map((parts) => Buffer.concat(parts).toString());
};

describe('the strings of a JSON text', () => {
  it('are found in slices of any sizes, whatever they hold', () => {
    const awkward = fc.string({ unit: fc.constantFrom('\\', '"', 'a', '\n', '灯', '😀', '\ud800') });
    fc.assert(
      fc.property(
        fc.array(awkward, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
        (texts, sizes) => {
          const found = textsOf(JSON.stringify(texts), sizes).map((raw) => JSON.parse(`"${raw}"`) as string);

          expect(found).toEqual(texts);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are found in linear time, however many escapes they hold', () => {
    const strings = new JsonStrings();
    const slice = Buffer.from(`"${'\\"'.repeat(2_000_000)}`);

    expect(strings.edge(slice)).toBe(0);
    expect(strings.edge(slice, 1)).toBe(-1);
    expect(strings.edge(Buffer.from('"'))).toBe(0);
  });
});
